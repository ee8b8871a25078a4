// Scripted motion: targets, time windows, rotation without drift, release, obstacles.
#include <fmt/format.h>

#include <cmath>

#include "clearance/math/rotation.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

constexpr const char* beam_shape = R"("generator": {"kind": "box", "size": [1, 0.2, 0.2], "resolution": [5, 1, 1]})";
constexpr const char* right_end = R"("region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"})";
constexpr const char* left_end = R"("region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"})";

std::string moved_beam(const std::string& motions, const std::string& more = "") {
  return R"({"gravity": [0, 0, 0], "time": {"step": 0.01}, "bodies": [{)" + std::string(beam_shape) +
         R"(, "motions": [)" + motions + "]}]" + more + "}";
}

TEST(PrescribedMotion, NodesAreExactlyAtTheirTargetsAfterEveryStep) {
  RunningScene beam(
      moved_beam("{" + std::string(left_end) + "}, {" + right_end + R"(, "linear_velocity": [0.25, 0.5, 0]})"));
  for (int n = 1; n <= 10; ++n) {
    beam.step();
    for (int i = 0; i < beam.num_nodes(); ++i) {
      const Vec<3> rest = beam.rest(i);
      if (rest[0] < -0.499) {
        EXPECT_EQ(beam.x(i), rest);
      }
      if (rest[0] > 0.499) {
        EXPECT_EQ(beam.x(i), Vec<3>(rest + Vec<3>(0.25, 0.5, 0) * (n * 0.01)));
      }
    }
  }
}

TEST(PrescribedMotion, ActsFromItsStartToItsEndAndThenLetsGo) {
  // The right end is pulled from 0.03 s to 0.06 s; before that it hangs free, and afterwards it swings back.
  RunningScene beam(moved_beam("{" + std::string(left_end) + "}, {" + right_end +
                               R"(, "linear_velocity": [0.5, 0, 0], "start": 0.03, "end": 0.06})"),
                    {"time.integrator=implicit_euler"});
  const auto stretch = [&] {
    double largest = 0.0;
    for (int i = 0; i < beam.num_nodes(); ++i) {
      if (beam.rest(i)[0] > 0.499) largest = std::max(largest, std::abs(beam.x(i)[0] - 0.5));
    }
    return largest;
  };
  beam.steps(3);
  EXPECT_LT(stretch(), 1e-12);
  for (int n = 1; n <= 3; ++n) {
    beam.step();
    EXPECT_NEAR(stretch(), 0.5 * 0.01 * n, 1e-14);
  }
  beam.steps(200);
  EXPECT_LT(stretch(), 0.003) << "the end is still held";
}

TEST(PrescribedMotion, LateStartTakesTheNodesWhereTheyAre) {
  // The whole beam flies freely at 1 m/s for 0.05 s; then its right end is held at the position that it has reached.
  RunningScene beam(moved_beam("{" + std::string(right_end) + R"(, "start": 0.05})"),
                    {"bodies[0].linear_velocity=[1, 0, 0]"});
  beam.steps(10);
  for (int i = 0; i < beam.num_nodes(); ++i) {
    if (beam.rest(i)[0] > 0.499) {
      EXPECT_NEAR(beam.x(i)[0], 0.55, 1e-12);
    }
  }
}

TEST(PrescribedMotion, FullTurnsDoNotDrift) {
  // The beam turns 100 steps per turn about a fixed centre outside the body; after two turns every node is back.
  RunningScene beam(moved_beam(R"({"angular_velocity": [0, 0, 360], "center": [1, 2, 0]})"));
  for (int n = 1; n <= 200; ++n) {
    beam.step();
    if (n == 25) {
      EXPECT_LT((beam.x(0) - Vec<3>(1, 2, 0) -
                 rotation_from_vector(Vec<3>(0, 0, 0.5 * M_PI)) * (beam.rest(0) - Vec<3>(1, 2, 0)))
                    .norm(),
                1e-12);
    }
  }
  EXPECT_LT((beam.state().x - beam.model().x_rest).cwiseAbs().maxCoeff(), 1e-12);
}

class Carried : public testing::TestWithParam<std::string> {};

TEST_P(Carried, BodyThatIsLetGoFliesOnWithTheSpeedOfItsMotion) {
  RunningScene beam(moved_beam(R"({"linear_velocity": [2, 0, 0], "end": 0.05})"), {"time.integrator=" + GetParam()});
  beam.steps(5);
  const Vec<3> start = beam.center_of_mass();
  beam.steps(10);
  // BDF2 sees the jump from rest in its history: its velocity is off by 3^-n after n steps.
  const double tolerance = GetParam() == "bdf2" ? 0.03 : 1e-9;
  EXPECT_NEAR((beam.center_of_mass() - start)[0], 2.0 * 0.1, 0.2 * tolerance);
  EXPECT_NEAR((beam.momentum() / beam.total_mass())[0], 2.0, 2.0 * tolerance);
}

INSTANTIATE_TEST_SUITE_P(Integrators, Carried, testing::Values("implicit_euler", "implicit_newmark", "bdf2"),
                         [](const auto& name) { return name.param; });

TEST(PrescribedMotion, IsReleasedOnceAllBodiesAreBeyondTheBound) {
  // The beam is lifted at 1 m/s from -0.1 m until the lowest vertex is above 0: step 12 is the first that starts there.
  RunningScene beam(
      moved_beam(std::string("{") + right_end +
                 R"(, "linear_velocity": [0, 1, 0], "release": {"axis": 1, "above": 0.0005}},
                                   {)" +
                 left_end + R"(, "linear_velocity": [0, 1, 0], "release": {"axis": 1, "above": 0.0005}})"),
      {"bodies[0].linear_velocity=[0, 1, 0]", "gravity=[0, 0, -1]"});
  for (int n = 1; n <= 20; ++n) {
    beam.step();
    const double sag = beam.x(0)[2] - beam.rest(0)[2];
    if (n <= 11) {
      EXPECT_EQ(sag, 0.0) << "step " << n << ": a held node falls";
    }
    if (n >= 12) {
      EXPECT_LT(sag, 0.0) << "step " << n << ": a node is still held";
    }
  }
  EXPECT_TRUE(std::all_of(beam.state().released.begin(), beam.state().released.end(), [](char r) { return r == 1; }));
}

// Fractions are of the box before the transform: in the scene the end of a turned beam is no box along the axes.
class TurnedBeam : public testing::TestWithParam<double> {};

TEST_P(TurnedBeam, IsMovedAtTheEndThatItHadBeforeItsTransform) {
  const std::string turn = fmt::format(
      R"(, "transform": {{"scale": [2, 1, 1], "rotation": [0, 20, {}], "translation": [100, -7, 3]}},)", GetParam());
  RunningScene beam(R"({"gravity": [0, 0, 0], "time": {"step": 0.01}, "bodies": [{)" + std::string(beam_shape) + turn +
                    R"("array": {"counts": [1, 2, 1], "spacing": [0, 5, 0]}, "motions": [{)" + right_end +
                    R"(, "linear_velocity": [0.25, 0, 0]}]}]})");
  beam.step();
  const Mat<3> rotation = rotation_from_euler_xyz({0, 20, GetParam()});
  int num_moved = 0;
  for (int i = 0; i < beam.num_nodes(); ++i) {
    const Vec<3> offset(0, i < beam.num_nodes() / 2 ? 0.0 : 5.0, 0);
    const Vec<3> before = rotation.transpose() * (beam.rest(i) - Vec<3>(100, -7, 3) - offset);
    const bool is_at_end = before[0] > 0.999;
    if (!is_at_end) continue;
    EXPECT_EQ(beam.x(i), Vec<3>(beam.rest(i) + Vec<3>(0.0025, 0, 0)));
    ++num_moved;
  }
  EXPECT_EQ(num_moved, 8);
  EXPECT_EQ(beam.scene().motions.at(0).blocks.size(), 4U);
}

INSTANTIATE_TEST_SUITE_P(PrescribedMotion, TurnedBeam, testing::Values(0.0, 30.0, 90.0, 135.0, -90.0));

// The velocity jumps at the start and the acceleration at the release: the motion of the past says nothing of them.
TEST(PrescribedMotion, JumpsDoNotChangeHowABodyFliesOn) {
  for (const std::string kind : {"rigid", "deformable"}) {
    SCOPED_TRACE(kind);
    RunningScene scene(R"({"gravity": [0, -10, 0], "time": {"step": 0.01}, "bodies": [{"kind": ")" + kind +
                       R"(", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]},
      "motions": [{"linear_velocity": [2, 3, 0], "end": 0.1}]}]})");
    const StepReport first = scene.step();
    // The reaction is the change of the momentum and the weight, and its work that over the way of the step.
    const double mass = 2.0 * energy_term(first, "kinetic") / 13.0;
    EXPECT_NEAR(first.account.motions / (mass * (13.0 + 10.0 * 0.01 * 3.0)), 1.0, 1e-6);
    scene.steps(19);
    EXPECT_NEAR((scene.v(0) - Vec<3>(2.0, 3.0 - 10.0 * 0.1, 0.0)).norm(), 0.0, 1e-6);
  }
}

// The pusher moves by ten activation distances a step: it arrives only where the cube moves on with it.
TEST(PrescribedMotion, AndWhatItPushesMoveOnTogether) {
  const std::string box = R"("kind": "rigid", "material": {"density": 500}, "generator": {"kind": "box", "size": )";
  RunningScene scene(R"({"friction": {"coefficient": 0.5}, "half_spaces": [{"point": [0, 0, 0]}], "bodies": [
    {"name": "cube", )" +
                     box + R"([0.1, 0.1, 0.1]}, "transform": {"translation": [0, 0.0501, 0]}},
    {"name": "pusher", )" +
                     box + R"([0.02, 0.1, 0.1]}, "transform": {"translation": [-0.07, 0.06, 0]},
     "motions": [{"linear_velocity": [0.05, 0, 0]}]}]})");
  scene.steps(50);
  int num_iterations = 0;
  for (int i = 0; i < 50; ++i) num_iterations += scene.step().newton_iterations;
  EXPECT_LE(num_iterations, 4 * 50);
  EXPECT_NEAR(scene.x(0)[0], -0.07 + 0.06 + 0.05, 1e-3);
}

// The pull of a motion that does not arrive also moved the border that is held.
TEST(PrescribedMotion, WhatIsHeldStaysWhereItIsWhileAnotherMotionIsBlocked) {
  RunningScene scene(R"({"gravity": [0, 0, 0], "time": {"step": 0.02}, "bodies": [
    {"kind": "shell", "thickness": 0.001, "shell": {"strain_limit": 0.05},
     "generator": {"kind": "sheet", "size": [1, 0.5], "resolution": [6, 3]},
     "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.3, "density": 500},
     "motions": [{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}},
                 {"region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}, "linear_velocity": [0.5, 0, 0]}]}]})");
  int num_blocked = 0;
  std::string limit;
  for (int n = 0; n < 8; ++n) {
    const StepReport report = scene.simulation().step();
    if (report.status != StepStatus::prescribed_motion_blocked) continue;
    ++num_blocked;
    limit = report.limited_by;
  }
  EXPECT_GE(num_blocked, 2);
  EXPECT_EQ(limit, "the strain limit of 'sheet'");
  for (int i = 0; i < scene.num_nodes(); ++i) {
    if (scene.rest(i)[0] == -0.5) {
      EXPECT_EQ(scene.x(i), scene.rest(i));
    }
    EXPECT_LE(scene.x(i)[0], 0.551);
  }
}

// The held nodes alone would turn the cells at the end inside out, or fold the others. In statics their reactions are
// the only forces at work, beside which the rest is measured.
TEST(PrescribedMotion, InStaticsLeadsTheWholeBodyAlong) {
  struct Case {
    std::string motion;
    int most_directions;
  };
  const std::vector<Case> cases = {{R"("displacement": ["-0.3 * t", "0", "0"])", 5},
                                   {R"("displacement": ["1.5 * t", "0", "0"])", 7},
                                   {R"("angular_velocity": [40, 0, 0])", 8}};
  for (const auto& [motion, most_directions] : cases) {
    const std::string motions = "{" + std::string(left_end) + "}, {" + right_end + ", " + motion + "}";
    const auto solve = [&](double step) {
      RunningScene beam(R"({"gravity": [0, 0, 0], "time": {"integrator": "quasi_static", "step": )" +
                        std::to_string(step) + R"(}, "bodies": [{)" + std::string(beam_shape) +
                        R"(, "order": 1, "motions": [)" + motions + "]}]}");
      int directions = 0;
      for (int n = 0; n < std::lround(1.0 / step); ++n) directions = beam.step().newton_iterations;
      return std::pair(beam.state().x, directions);
    };
    const auto [at_once, directions] = solve(1.0);
    EXPECT_LE(directions, most_directions) << motion;
    EXPECT_LE((at_once - solve(0.1).first).cwiseAbs().maxCoeff(), 1e-5) << motion;
  }
}

TEST(Obstacle, WithoutMotionNeverMovesABit) {
  RunningScene scene(R"({"time": {"step": 0.01}, "bodies": [
    {"generator": {"kind": "box", "size": [0.3, 0.3, 0.3], "resolution": [2, 2, 2]}, "transform": {"translation": [0, 0.3, 0]},
     "linear_velocity": [0, -3, 0]},
    {"kind": "obstacle", "generator": {"kind": "sphere", "size": [0.1], "resolution": [2], "is_surface": true}}]})");
  const VecX start = scene.state().x;
  int most_contacts = 0;
  for (int n = 0; n < 40; ++n) most_contacts = std::max(most_contacts, scene.step().num_contacts);
  EXPECT_GT(most_contacts, 0);
  for (int i = 0; i < scene.num_nodes(); ++i) {
    if (scene.mass(i) == 0.0) {
      EXPECT_EQ(scene.x(i), scene.at(start, i));
      EXPECT_EQ(scene.v(i), Vec<3>::Zero());
    }
  }
}

TEST(Obstacle, RestsWhereItsMotionEnds) {
  RunningScene scene(R"({"gravity": [0, 0, 0], "time": {"step": 0.01}, "bodies": [
    {"generator": {"kind": "box", "size": [0.3, 0.3, 0.3], "resolution": [1, 1, 1]}},
    {"kind": "obstacle", "generator": {"kind": "sheet", "size": [1, 1], "resolution": [1, 1]},
     "transform": {"translation": [0, -0.2, 0]},
     "motions": [{"linear_velocity": [0, 2, 0], "end": 0.1}, {"linear_velocity": [0, 0, 1], "start": 0.2, "end": 0.3}]}]})");
  const auto expect_shift = [&](const Vec<3>& shift, double tolerance) {
    for (int i = 0; i < scene.num_nodes(); ++i) {
      if (scene.mass(i) == 0.0) {
        EXPECT_LT((scene.x(i) - scene.rest(i) - shift).norm(), tolerance);
      }
    }
  };
  // The sheet pushes the box up without ever touching it. While something is in the way, the sheet arrives to 1e-3 of
  // the way of a step [Fer23, app. A.5], and exactly with the next step.
  scene.steps(10);
  expect_shift({0, 0.2, 0}, 1e-3 * 0.02);
  scene.steps(10);
  expect_shift({0, 0.2, 0}, 1e-15);
  scene.steps(15);
  expect_shift({0, 0.2, 0.1}, 1e-15);
  EXPECT_GT(scene.center_of_mass()[1], 0.14);
}

TEST(Obstacle, PressingABodyAgainstAnotherArrivesWhileNothingIsCrossed) {
  // A plate compresses a box on a fixed plate by a third; the box blocks its way and has to give first.
  RunningScene press(
      R"({"gravity": [0, 0, 0], "time": {"step": 0.05}, "half_spaces": [{"point": [0, -0.16, 0]}], "bodies": [
    {"generator": {"kind": "box", "size": [0.3, 0.3, 0.3], "resolution": [2, 2, 2]}},
    {"kind": "obstacle", "generator": {"kind": "sheet", "size": [1, 1], "resolution": [1, 1]},
     "transform": {"translation": [0, 0.16, 0]}, "motions": [{"linear_velocity": [0, -0.2, 0], "end": 0.5}]}]})");
  const StepReport report = press.steps(12);
  EXPECT_GT(report.min_distance, 0.0);
  double highest = -infinity;
  for (int i = 0; i < press.num_nodes(); ++i) {
    if (press.mass(i) > 0.0) highest = std::max(highest, press.x(i)[1]);
    // Targets that could not be reached at once are reached to the tolerance of the augmented Lagrangian, 1e-3 of the
    // way of a step, and exactly once nothing moves any more.
    if (press.mass(i) == 0.0) {
      EXPECT_NEAR(press.x(i)[1], 0.06, 1e-12);
    }
  }
  EXPECT_LT(highest, 0.06);
}

}  // namespace
}  // namespace clearance
