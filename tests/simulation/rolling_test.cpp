// Round bodies with flat sides: how far they roll, and the messages if the sides keep them from rolling.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "clearance/io/scene_reader.h"
#include "clearance/simulation/run.h"

namespace clearance {
namespace {

struct Rolled {
  double way = 0.0;                 // [m]
  bool is_hinted = false;           // before the first step
  std::vector<std::string> warned;  // names of warnings after the last one
};

/// A body on a plane that falls by `slope` degrees, with friction.
struct Setting {
  std::string kind, generator;
  double slope = 5.0, speed = 0.0;
  std::string more = "";  // of the body
  std::string dimension = "3";
  std::string friction = "0.8";
  double duration = 1.0;
  std::string integrator = "bdf2_restarted";
  std::string obstacle = "";  // instead of the half-space
};

Rolled roll(const Setting& s) {
  const std::string translation = s.dimension == "2" ? "[0, 0.1003]" : "[0, 0.1003, 0]";
  const Result<LoadedScene> loaded = load_scene_text(
      R"({"dimension": )" + s.dimension + R"(, "time": {"step": 0.01, "integrator": ")" + s.integrator +
          R"(", "duration": )" + std::to_string(s.duration) + R"(}, "friction": {"coefficient": )" + s.friction +
          R"(}, "half_spaces": [)" + (s.obstacle.empty() ? "{}" : "") + R"(], "bodies": [{"name": "b", "kind": ")" +
          s.kind + R"(", "generator": )" + s.generator + s.more + R"(, "transform": {"translation": )" + translation +
          (s.generator.find("cylinder") == std::string::npos && s.generator.find("torus") == std::string::npos
               ? ""
               : R"(, "rotation": [90, 0, 0])") +
          "}}" + (s.obstacle.empty() ? "" : ", " + s.obstacle) + "]}",
      "roll", ".", {});
  if (!loaded) throw std::runtime_error(to_string(loaded.issues().front()));
  SceneDesc scene = loaded->scene;
  const double slope = s.slope * 3.14159265358979323846 / 180.0;
  scene.gravity = 9.81 * Vec<3>(std::sin(slope), -std::cos(slope), 0);
  scene.bodies[0].linear_velocity[0] = s.speed;
  Result<Simulation> simulation = Simulation::create(scene);
  if (!simulation) throw std::runtime_error(to_string(simulation.issues().front()));
  Rolled rolled;
  for (const Issue& issue : simulation->warnings()) {
    rolled.is_hinted = rolled.is_hinted || issue.message.find("faceted_rolling: body 'b'") == 0;
  }
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const auto folder = std::filesystem::path(testing::TempDir()) / (std::string("rolling_") + test->name());
  std::filesystem::remove_all(folder);
  const Result<FolderClaim> claim = FolderClaim::make(folder, FolderUse::start);
  const Result<RunOutcome> outcome = run(*simulation, *claim);
  for (const RunWarning& warning : outcome->warnings) rolled.warned.push_back(warning.name);
  // Position of the middle, which started at a height of 0.1003 m.
  if (const auto pose = simulation->pose(0)) rolled.way = pose->coeff(0, 3) + 0.1003 * pose->coeff(0, 1);
  return rolled;
}

bool is_told(const Rolled& rolled) {
  return std::count(rolled.warned.begin(), rolled.warned.end(), "faceted_rolling") > 0;
}
double round_way(const Setting& s, double gyration) {
  return 0.5 * 9.81 * std::sin(s.slope * 3.14159265358979323846 / 180.0) / (1.0 + gyration) * s.duration * s.duration;
}

std::string cylinder(int rings) {
  return R"({"kind": "cylinder", "size": [0.1, 0.2], "resolution": [)" + std::to_string(rings) + ", 1]}";
}
std::string ball(int layers) {
  return R"({"kind": "sphere", "size": [0.1], "resolution": [)" + std::to_string(layers) + R"(], "exact": false})";
}
std::string disk(int rings) {
  return R"({"kind": "disk", "size": [0.1], "resolution": [)" + std::to_string(rings) + "]}";
}

TEST(FacetedRolling, CylinderThatItsSidesHoldIsToldBeforeAndAfter) {
  const Rolled rolled = roll({"affine", cylinder(3)});
  EXPECT_LT(rolled.way, 0.01);
  EXPECT_TRUE(rolled.is_hinted);
  EXPECT_TRUE(is_told(rolled));
}

TEST(FacetedRolling, CylinderOfManySidesRollsAsARoundOneAndNothingIsTold) {
  const Setting setting = {"rigid", cylinder(32)};
  const Rolled rolled = roll(setting);
  // Measured at 192 sides and steps of 10 ms: 0.89 and 0.90 of the way. Steps in which a side is hit are implicit
  // Euler's.
  EXPECT_NEAR(rolled.way, round_way(setting, 0.5), 0.15 * round_way(setting, 0.5));
  EXPECT_FALSE(rolled.is_hinted);
  EXPECT_FALSE(is_told(rolled));
}

// A soft one of 30 sides is 13 % too slow after a second on 10 degrees.
TEST(FacetedRolling, SoftCylinderOfFewSidesIsToldBefore) {
  EXPECT_TRUE(roll({"deformable", cylinder(5), 10.0}).is_hinted);
}

// A disk of 192 sides that turns by 0.3 rad in a step loses a third of its energy where contact acts on its sides.
TEST(FacetedRolling, StepsThatRollOverManySidesAreTold) {
  Setting setting = {"rigid", disk(32), 5.0, 3.0, R"(, "angular_velocity": -30)", "2"};
  setting.duration = 0.3;
  EXPECT_TRUE(is_told(roll(setting)));
  setting.speed = 0.3;
  setting.more = R"(, "angular_velocity": -3)";
  EXPECT_FALSE(is_told(roll(setting)));
}

TEST(FacetedRolling, BallsAndDisksOfFewSidesAreTold) {
  const Rolled of_ball = roll({"rigid", ball(2)});
  EXPECT_TRUE(of_ball.is_hinted);
  EXPECT_TRUE(is_told(of_ball)) << of_ball.way;
  const Setting in_plane = {"affine", disk(3), 5.0, 0.0, "", "2"};
  const Rolled of_disk = roll(in_plane);
  EXPECT_TRUE(of_disk.is_hinted);
  EXPECT_TRUE(is_told(of_disk)) << of_disk.way;
}

TEST(FacetedRolling, FewSidesAreToldOnEveryFloorAndForEveryShapeMassAndIntegrator) {
  const std::string floor =
      R"({"kind": "obstacle", "generator": {"kind": "box", "size": [4, 0.2, 2], "resolution": [1]},
      "transform": {"translation": [0, -0.1, 0]}})";
  const std::string line = R"({"kind": "obstacle", "generator": {"kind": "rectangle", "size": [4, 0.2],
      "resolution": [1]}, "transform": {"translation": [0, -0.1]}})";
  const std::string tube = R"({"kind": "cylinder", "size": [0.1, 0.2], "resolution": [3, 1], "is_surface": true})";
  const std::string ring = R"({"kind": "torus", "size": [0.08, 0.02], "resolution": [10, 6]})";
  for (const Setting& setting :
       {Setting{.kind = "rigid", .generator = cylinder(3), .obstacle = floor},
        Setting{.kind = "rigid", .generator = disk(3), .dimension = "2", .obstacle = line},
        Setting{.kind = "affine", .generator = cylinder(3), .more = R"(, "mass": 50)"},
        Setting{.kind = "affine", .generator = tube}, Setting{.kind = "rigid", .generator = ring, .slope = 8.0},
        Setting{.kind = "rigid", .generator = cylinder(4), .slope = 3.0, .integrator = "bdf2"},
        Setting{.kind = "rigid", .generator = cylinder(3), .integrator = "implicit_euler"}}) {
    const Rolled rolled = roll(setting);
    EXPECT_TRUE(is_told(rolled)) << setting.generator << setting.more << setting.integrator << rolled.way;
    // Before the first step, a body is known to stand on half-spaces.
    EXPECT_EQ(rolled.is_hinted, setting.obstacle.empty()) << setting.generator << setting.more << setting.integrator;
  }
}

TEST(FacetedRolling, DiskOfManySidesRollsAsARoundOne) {
  const Setting setting = {"rigid", disk(32), 5.0, 0.0, "", "2"};
  const Rolled rolled = roll(setting);
  // Measured at 192 sides and steps of 10 ms: 0.89 and 0.90 of the way. Steps in which a side is hit are implicit
  // Euler's.
  EXPECT_NEAR(rolled.way, round_way(setting, 0.5), 0.15 * round_way(setting, 0.5));
  EXPECT_FALSE(rolled.is_hinted);
  EXPECT_FALSE(is_told(rolled));
}

TEST(FacetedRolling, BallThatComesToRollOnTheFlatIsToldWhereItsSidesStopIt) {
  const Rolled rolled = roll({"rigid", ball(4), 0.0, 1.0});
  EXPECT_TRUE(rolled.is_hinted);
  EXPECT_TRUE(is_told(rolled)) << rolled.way;
}

TEST(FacetedRolling, WhatRestsOrSlidesOrCannotTurnIsNot) {
  for (const Setting& setting : {Setting{"affine", cylinder(3), 0.0}, Setting{"rigid", ball(2), 0.0},
                                 Setting{"affine", cylinder(3), 5.0, 0.0, "", "3", "0"},
                                 Setting{"affine", cylinder(3), 5.0, 0.0, R"(, "fixed_rotation": [true, true, true])"},
                                 Setting{"affine", R"({"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [1]})"}}) {
    const Rolled rolled = roll(setting);
    EXPECT_FALSE(rolled.is_hinted) << setting.generator << setting.more;
    EXPECT_FALSE(is_told(rolled)) << setting.generator << setting.more << rolled.way;
  }
}

TEST(FacetedRolling, CylinderThatStandsOnItsEndIsNot) {
  Setting setting = {"affine", R"({"kind": "cylinder", "size": [0.1, 0.2], "resolution": [3, 1]})"};
  setting.more = R"(, "angular_velocity": [0, 0, 0])";
  const Result<LoadedScene> loaded = load_scene_text(
      R"({"friction": {"coefficient": 0.8}, "gravity": [0.85, -9.77, 0], "half_spaces": [{}], "bodies": [{"kind":
      "affine", "generator": )" +
          setting.generator + R"(, "transform": {"translation": [0, 0.1003, 0]}}]})",
      "stands", ".", {});
  ASSERT_TRUE(loaded);
  const Result<Simulation> simulation = Simulation::create(loaded->scene);
  ASSERT_TRUE(simulation);
  EXPECT_TRUE(simulation->warnings().empty());
}

}  // namespace
}  // namespace clearance
