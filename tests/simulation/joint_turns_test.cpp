// Hinges count turns: limits, springs, drives and probes beyond half a turn; the state holds the number.
#include <fmt/format.h>

#include <cmath>

#include "clearance/simulation/run_records.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns a wheel on an axle along z: 0.2 m, 1000 kg/m^3.
std::string wheel(const std::string& kind, int dimension, const std::string& joint, const std::string& more = "",
                  const std::string& time = R"("step": 0.01)") {
  const std::string generator = dimension == 2 ? R"({"kind": "rectangle", "size": [0.2, 0.2], "resolution": [1, 1]})"
                                               : R"({"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [1, 1, 1]})";
  const std::string gravity = dimension == 2 ? "[0, 0]" : "[0, 0, 0]";
  return fmt::format(
      R"({{"dimension": {}, "gravity": {}, "time": {{{}}}, "contact": {{"enabled": false}},
          "bodies": [{{"name": "wheel", "kind": "{}", "generator": {}{}}}],
          "joints": [{{"name": "axle", "kind": "hinge", "bodies": ["wheel", ""], "point": [0, 0, 0]{}{}}}],
          "controls": [{{"name": "pull"}}],
          "output": {{"probes": [{{"name": "axle", "kind": "joint", "joint": "axle"}}]}}}})",
      dimension, gravity, time, kind, generator, more, dimension == 2 ? "" : R"(, "axis": [0, 0, 1])", joint);
}

double angle_of(RunningScene& scene) {
  return scene.simulation().probe_values().at(0);
}

struct TurnsCase {
  std::string kind;
  int dimension;
};
class JointTurns : public testing::TestWithParam<TurnsCase> {
 protected:
  std::string scene(const std::string& joint, const std::string& more = "",
                    const std::string& time = R"("step": 0.01)") const {
    return wheel(GetParam().kind, GetParam().dimension, joint, more, time);
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, JointTurns,
                         testing::Values(TurnsCase{"affine", 3}, TurnsCase{"rigid", 3}, TurnsCase{"affine", 2},
                                         TurnsCase{"rigid", 2}),
                         [](const auto& test) { return test.param.kind + std::to_string(test.param.dimension) + "d"; });

TEST_P(JointTurns, LimitBeyondHalfATurnIsPassedToAndHolds) {
  for (const double limit : {200.0, -200.0, 365.0, -800.0}) {
    const std::string joint = fmt::format(R"(, "{}": {}, "effort": "{}", "damping": 0.5)",
                                          limit > 0 ? "upper" : "lower", limit, limit > 0 ? 5 : -5);
    RunningScene running(scene(joint));
    running.steps(400);
    EXPECT_NEAR(angle_of(running), limit, 0.02) << limit;
    EXPECT_LE(std::abs(angle_of(running)), std::abs(limit));
  }
}

TEST_P(JointTurns, SpringPullsToARestBeyondHalfATurn) {
  for (const double rest : {229.2, -190.0, 360.0, 1000.0}) {
    RunningScene running(scene(fmt::format(R"(, "stiffness": 4, "damping": 1.5, "rest": "{}")", rest)));
    running.steps(500);
    EXPECT_NEAR(angle_of(running), rest, 0.01 * std::abs(rest)) << rest;
  }
}

TEST_P(JointTurns, SpringIsWoundUpAndUnwinds) {
  // An undamped swing of more than a turn comes back completely.
  RunningScene running(
      scene(R"(, "stiffness": 1)",
            R"(, "angular_velocity": )" + std::string(GetParam().dimension == 2 ? "3000" : "[0, 0, 3000]"),
            R"("step": 0.001, "integrator": "bdf2_restarted")"));
  double highest = 0.0, lowest = 0.0;
  for (int i = 0; i < 2600; ++i) {
    running.step();
    highest = std::max(highest, angle_of(running));
    lowest = std::min(lowest, angle_of(running));
  }
  EXPECT_GT(highest, 360.0);
  EXPECT_NEAR(lowest, -highest, 0.01 * highest);
}

TEST_P(JointTurns, ProbeFollowsADriveThroughTurnsAndBack) {
  RunningScene running(scene(R"~(, "drive": "720 * sin(pi * t)")~"));
  for (int i = 1; i <= 150; ++i) {
    running.step();
    EXPECT_NEAR(angle_of(running), 720.0 * std::sin(3.14159265358979 * 0.01 * i), 0.5) << i;
  }
}

// (Affine bodies stretch as they turn: without inertia each direction turns them by little, and the step ends with
// iteration_limit.)
TEST_P(JointTurns, QuasiStaticSpringTurnsByMoreThanHalfInOneStep) {
  if (GetParam().kind == "affine") return;
  RunningScene running(scene(R"(, "stiffness": 1, "rest": "250")", "", R"("step": 1, "integrator": "quasi_static")"));
  running.steps(2);
  EXPECT_NEAR(angle_of(running), 250.0, 0.1);
}

TEST_P(JointTurns, LimitsOfAllRangesAreReachedWithinAThousandth) {
  for (const double limit : {0.01, 0.5, 2.0, 20.0, 49.446}) {
    RunningScene running(
        scene(fmt::format(R"(, "lower": {}, "upper": {}, "effort": "0.5", "damping": 0.2)", -limit, limit)));
    running.steps(400);
    EXPECT_NEAR(angle_of(running), limit, std::min(0.0025 * limit, 0.012)) << limit;
  }
}

// An arm that fell on its limit came back higher than it was released: the velocities of BDF2 went through the stop.
TEST_P(JointTurns, LimitsStopWithoutARebound) {
  for (const std::string integrator : {"implicit_euler", "bdf2_restarted"}) {
    for (const double h : {0.01, 0.002}) {
      RunningScene running(scene(R"(, "upper": 60, "effort": "1")", "",
                                 fmt::format(R"("step": {}, "integrator": "{}")", h, integrator)));
      double least_after = 60.0;
      bool has_arrived = false;
      for (int i = 0; i < static_cast<int>(2.0 / h); ++i) {
        running.step();
        has_arrived = has_arrived || angle_of(running) > 59.9;
        if (has_arrived) least_after = std::min(least_after, angle_of(running));
      }
      EXPECT_TRUE(has_arrived);
      EXPECT_GT(least_after, 59.0) << integrator << " " << h;
    }
  }
}

TEST_P(JointTurns, LimitAtTheStartHolds) {
  for (const std::string side : {"upper", "lower"}) {
    const double sign = side == "upper" ? 1.0 : -1.0;
    RunningScene running(scene(fmt::format(R"(, "{}": 0, "effort": "{}")", side, sign)));
    running.steps(100);
    EXPECT_NEAR(angle_of(running), 0.0, 0.012);
    // In the other direction the joint is free.
    RunningScene back(scene(fmt::format(R"(, "{}": 0, "effort": "{}")", side, -sign)));
    back.steps(100);
    EXPECT_GT(-sign * angle_of(back), 5.0);
  }
}

TEST_P(JointTurns, SavedStatesGoOnWithTheSameBits) {
  const std::string text = scene(R"(, "lower": -500, "upper": 800, "stiffness": 2, "rest": "pull", "damping": 0.05)");
  RunningScene whole(text);
  ASSERT_TRUE(whole.simulation().set_control("pull", 700.0));
  whole.steps(120);
  ASSERT_GT(angle_of(whole), 360.0);
  const State saved = state_of(checkpoint_of(whole.state()));
  EXPECT_EQ(saved.turns, whole.state().turns);
  RunningScene again(text);
  again.steps(3);
  ASSERT_TRUE(again.simulation().restore(saved));
  EXPECT_EQ(angle_of(again), angle_of(whole));
  for (int i = 0; i < 60; ++i) {
    whole.step();
    again.step();
    ASSERT_EQ(again.simulation().state_hash(), whole.simulation().state_hash()) << i;
    ASSERT_EQ(angle_of(again), angle_of(whole)) << i;
  }
  // A simulation that has turned on also goes back to fewer turns.
  const double before = angle_of(again);
  whole.steps(30);
  ASSERT_TRUE(whole.simulation().restore(again.state()));
  EXPECT_EQ(angle_of(whole), before);
}

TEST(JointTurnsOfOldCheckpoints, AreThoseOfLessThanHalfATurn) {
  RunningScene scene(wheel("affine", 3, R"(, "effort": "1")"));
  scene.steps(10);
  Checkpoint old = checkpoint_of(scene.state());
  old.arrays.erase("turns");
  RunningScene again(wheel("affine", 3, R"(, "effort": "1")"));
  ASSERT_TRUE(again.simulation().restore(state_of(old)));
  EXPECT_EQ(angle_of(again), angle_of(scene));
}

}  // namespace
}  // namespace clearance
