// Moves of scenes of all kinds are proved.
#include <gtest/gtest.h>

#include "cli/random_scene.h"
#include "verify/certificate_run.h"

namespace clearance::verify {
namespace {

class PathScenes : public CertificateRun {
 protected:
  void expect_proved(const std::string& name, const SceneDesc& scene, int num_steps) {
    RunLimits limits;
    limits.num_steps = num_steps;
    run_into(name, scene, FolderUse::start, limits);
    const PathReport report = report_of(name);
    EXPECT_TRUE(report.is_clean()) << name << ": " << text_of(report);
    num_moves_ += report.num_moves;
    num_pairs_ += report.counts.num_pairs;
  }
  void expect_random_scenes_proved(cli::RandomKinds kinds, int first_seed, int num_scenes = 4, int num_steps = 4) {
    for (int seed = first_seed; seed < first_seed + num_scenes; ++seed) {
      SceneDesc scene = cli::make_random_scene(seed, folder_, kinds).desc;
      scene.remesh.reset();
      for (BodyDesc& body : scene.bodies) body.remesh.reset();
      scene.output.certificate = true;
      expect_proved(fmt::format("seed_{}", seed), scene, num_steps);
    }
    EXPECT_GT(num_moves_, 20);
  }
  long num_moves_ = 0, num_pairs_ = 0;
};

TEST_F(PathScenes, OfDeformableBodies) {
  expect_random_scenes_proved(cli::RandomKinds::deformable, 1);
}
TEST_F(PathScenes, OfCurvedElements) {
  expect_random_scenes_proved(cli::RandomKinds::curved, 101, 2, 2);
}
TEST_F(PathScenes, OfShellsRodsAndParticles) {
  expect_random_scenes_proved(cli::RandomKinds::thin, 201, 6);
}
TEST_F(PathScenes, OfStiffBodiesStiffPartsAndJoints) {
  expect_random_scenes_proved(cli::RandomKinds::mixed, 301);
}

TEST_F(PathScenes, OfRigidBodiesThatRoll) {
  expect_proved("out", scene_of(R"({
    "time": {"step": 0.02, "duration": 0.3}, "friction": {"coefficient": 0.5}, "gravity": [3, -9, 0],
    "bodies": [
      {"name": "wheel", "kind": "rigid", "generator": {"kind": "sphere", "size": [0.2], "resolution": [2],
       "exact": false}, "transform": {"translation": [0, 0.205, 0]}},
      {"name": "crate", "kind": "rigid", "generator": {"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [1, 1, 1]},
       "transform": {"translation": [0.4, 0.105, 0]}, "linear_velocity": [-1, 0, 0]},
      {"name": "floor", "kind": "obstacle", "generator": {"kind": "sheet", "size": [4, 4], "resolution": [3, 3]}}]})"),
                15);
  EXPECT_GT(num_pairs_, 100);
}

TEST_F(PathScenes, InThePlane) {
  for (const char* kind : {"deformable", "affine", "rigid"}) {
    expect_proved(kind,
                  scene_of(fmt::format(R"({{
      "dimension": 2, "time": {{"step": 0.02, "duration": 0.2}}, "friction": {{"coefficient": 0.3}},
      "bodies": [
        {{"name": "low", "kind": "{0}", "generator": {{"kind": "rectangle", "size": [0.4, 0.2], "resolution": [2, 1]}},
          "transform": {{"translation": [0, 0.11]}}}},
        {{"name": "high", "kind": "{0}", "generator": {{"kind": "rectangle", "size": [0.2, 0.2], "resolution": [1, 1]}},
          "transform": {{"translation": [0.15, 0.4], "rotation": 20}}}}],
      "half_spaces": [{{"point": [0, 0]}}]}})",
                                       kind)),
                  10);
  }
}

TEST_F(PathScenes, WithSeparationsAndRoundShapes) {
  expect_proved("gap", scene_of(R"({
    "time": {"step": 0.02, "duration": 0.2}, "contact": {"min_separation": 0.01},
    "bodies": [
      {"name": "low", "kind": "rigid", "generator": {"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [1, 1, 1]},
       "transform": {"translation": [0, 0.12, 0]}},
      {"name": "high", "generator": {"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [1, 1, 1]},
       "transform": {"translation": [0.05, 0.36, 0.03]}}],
    "half_spaces": [{"point": [0, 0, 0]}]})"),
                10);
}

}  // namespace
}  // namespace clearance::verify
