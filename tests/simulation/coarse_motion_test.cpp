// Bodies that move past each other by their size in one step are named: Newton may lead one around the other.
#include "clearance/simulation/watches/coarse_motion_watch.h"

#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns two cubes of 0.1 m, 0.3 m apart, and a speed of the first.
std::string cubes(const std::string& kind, const Vec<3>& speed, const std::string& of_second = "[0, 0, 0]") {
  const auto cube = [&](const std::string& name, const std::string& at, const std::string& velocity) {
    return R"({"name": ")" + name + R"(", "kind": ")" + kind +
           R"(", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]}, "transform": {"translation": )" +
           at + R"(}, "linear_velocity": )" + velocity + "}";
  };
  const std::string velocity =
      "[" + std::to_string(speed[0]) + ", " + std::to_string(speed[1]) + ", " + std::to_string(speed[2]) + "]";
  return R"({"gravity": [0, 0, 0], "time": {"step": 0.01}, "bodies": [)" + cube("a", "[-0.3, 0.01, 0.02]", velocity) +
         ", " + cube("b", "[0, 0, 0]", of_second) + "]}";
}

/// Returns the first coarse motion of ten steps.
CoarseMotion first(const std::string& json) {
  RunningScene scene(json);
  for (int i = 0; i < 10; ++i) {
    scene.simulation().step();
    if (scene.simulation().coarse_motion().share > 0.0) break;
  }
  return scene.simulation().coarse_motion();
}

TEST(CoarseMotion, NamesTheTwoBodiesAndTheShareOfTheSmaller) {
  for (const char* kind : {"rigid", "affine", "deformable"}) {
    const CoarseMotion found = first(cubes(kind, {20.0, 0.0, 0.0}));
    EXPECT_NEAR(found.share, 0.2 / (0.1 * std::sqrt(3.0)), 0.01) << kind;
    EXPECT_EQ(found.body + found.other, 1) << kind;
  }
}

TEST(CoarseMotion, IsNoneWhereStepsAreShortOrNothingIsInTheWay) {
  EXPECT_EQ(first(cubes("rigid", {8.0, 0.0, 0.0})).share, 0.0);
  EXPECT_EQ(first(cubes("rigid", {20.0, 20.0, 0.0})).share, 0.0) << "passes at a distance";
  EXPECT_EQ(first(cubes("rigid", {-20.0, 0.0, 0.0})).share, 0.0) << "flies away";
  EXPECT_EQ(first(cubes("rigid", {20.0, 0.0, 0.0}, "[20, 0, 0]")).share, 0.0) << "fly together";
}

/// Returns a cube of 1 kg and 0.1 m, I = 1/600 kg m^2, that a torque turns from rest.
std::string turned_cube(const std::string& kind, double torque) {
  return R"({"gravity": [0, 0, 0], "time": {"step": 0.01}, "bodies": [{"name": "a", "kind": ")" + kind +
         R"(", "mass": 1, "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]},
         "loads": [{"kind": "torque", "value": [0, 0, )" +
         std::to_string(torque) + "]}]}]}";
}

/// Torques acted by the cosine of the turn in the step: 1000 N m turned this cube to 89 degrees without a message.
TEST(CoarseTurn, NamesTheBodyThatATorqueTurnsTooFar) {
  for (const char* kind : {"rigid", "affine"}) {
    RunningScene strong(turned_cube(kind, 1000.0));
    strong.simulation().step();  // no turn within a step balances that torque
    EXPECT_GT(strong.simulation().coarse_turn().angle, 1.2) << kind;
    EXPECT_EQ(strong.simulation().coarse_turn().body, 0);
    RunningScene weak(turned_cube(kind, 2.0));
    EXPECT_EQ(weak.simulation().step().status, StepStatus::converged) << kind;
    EXPECT_EQ(weak.simulation().coarse_turn().body, -1) << kind;
  }
}

/// With chords as velocities a step from rest ends where I sin(theta) / h^2 is the torque.
TEST(CoarseTurn, ATorqueActsInFullHoweverFarTheBodyTurnsInTheStep) {
  for (const double torque : {1.0, 5.0, 10.0}) {
    RunningScene scene(turned_cube("rigid", torque));
    // The first step goes half as far as its acceleration times h^2.
    const double expected = std::asin(0.5 * torque * 0.01 * 0.01 * 600.0);
    scene.simulation().step();
    const Eigen::Matrix4d pose = *scene.simulation().pose(0);
    EXPECT_NEAR(std::atan2(pose(1, 0), pose(0, 0)), expected, 3e-3 * expected) << torque;
  }
}

}  // namespace
}  // namespace clearance
