// Bodies that may pass through each other: their simulation, and the verdict of `clearance verify`.
#include <gtest/gtest.h>

#include "clearance/simulation/run.h"
#include "clearance/verify/folder/verify_folder.h"
#include "robot_file.h"

namespace clearance {
namespace {

/// Returns boxes of 0.1 m that fall on a shelf of the same size, 0.2 m below them; another shelf is beside it.
SceneDesc falling_boxes() {
  const Result<LoadedScene> loaded = load_scene_text(R"({
    "time": {"step": 0.01, "duration": 0.4, "integrator": "implicit_euler"},
    "bodies": [
      {"name": "falls", "kind": "affine", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]},
       "transform": {"translation": [0, 0.3, 0]}},
      {"name": "stays", "kind": "affine", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]},
       "transform": {"translation": [1, 0.3, 0]}},
      {"name": "shelf", "kind": "obstacle", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1],
       "is_surface": true}},
      {"name": "other", "kind": "obstacle", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1],
       "is_surface": true}, "transform": {"translation": [1, 0, 0]}}],
    "half_spaces": [{"point": [0, -10, 0]}]})",
                                                     "boxes.json", ".");
  if (!loaded) throw std::runtime_error(messages_of(loaded.issues()));
  return loaded->scene;
}

struct Fall {
  double height = 0.0;  // [m] of the first box at the end
  double other = 0.0;   // [m] of the second one
  verify::VerifyReport report;
};

Fall simulate(const SceneDesc& scene) {
  Result<Simulation> simulation = Simulation::create(scene);
  if (!simulation) throw std::runtime_error(messages_of(simulation.issues()));
  const auto folder = test_folder() / "result";
  {
    const Result<FolderClaim> claim = FolderClaim::make(folder, FolderUse::start);
    if (!claim) throw std::runtime_error(messages_of(claim.issues()));
    const Result<RunOutcome> outcome = run(*simulation, *claim, {}, {});
    if (!outcome || outcome->end != RunEnd::complete) throw std::runtime_error("the run failed");
  }
  const auto stored = verify::read_verify_folder(folder);
  if (!stored) throw std::runtime_error(messages_of(stored.issues()));
  return {0.3 + simulation->pose(0)->coeff(1, 3), 0.3 + simulation->pose(1)->coeff(1, 3),
          verify::verify_folder(*stored)};
}

/// Height after 0.4 s of free fall by implicit Euler [m]: n (n + 1) / 2 steps of g h^2.
constexpr double free_height = 0.3 - 9.80665 * 1e-4 * 40 * 41 / 2;

TEST(ContactFilter, BodiesRestOnShelvesWithoutOne) {
  const Fall fall = simulate(falling_boxes());
  EXPECT_NEAR(fall.height, 0.1, 1e-3);
  EXPECT_NEAR(fall.other, 0.1, 1e-3);
  EXPECT_TRUE(fall.report.is_clean());
}

TEST(ContactFilter, IgnoredPairsFallThroughEachOtherAndAreNoOffense) {
  SceneDesc scene = falling_boxes();
  scene.contact.ignored_pairs = {{{"shelf", "falls"}}};
  const Fall fall = simulate(scene);
  EXPECT_NEAR(fall.height, free_height, 1e-6);
  EXPECT_NEAR(fall.other, 0.1, 1e-3);
  EXPECT_TRUE(fall.report.is_clean());
}

TEST(ContactFilter, WhatDoesNotCollideFallsThroughShelfAndHalfSpace) {
  SceneDesc scene = falling_boxes();
  scene.bodies[0].collides = false;
  scene.half_spaces[0].point = {0, -0.1, 0};
  const Fall fall = simulate(scene);
  EXPECT_NEAR(fall.height, free_height, 1e-6);
  EXPECT_NEAR(fall.other, 0.1, 1e-3);
  EXPECT_TRUE(fall.report.is_clean());
}

TEST(ContactFilter, VerificationFindsWhatOthersPairsWouldHide) {
  // Write the folder of a scene that ignores the pair, and judge it as if it did not.
  SceneDesc scene = falling_boxes();
  scene.contact.ignored_pairs = {{{"shelf", "falls"}}};
  simulate(scene);
  auto stored = verify::read_verify_folder(std::filesystem::path(testing::TempDir()) /
                                           "robot_ContactFilter_VerificationFindsWhatOthersPairsWouldHide" / "result");
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->scene.ignored_pairs, (std::set<std::pair<int, int>>{{0, 2}}));
  stored->scene.ignored_pairs.clear();
  EXPECT_GT(verify::verify_folder(*stored).num_intersections, 0);
}

}  // namespace
}  // namespace clearance
