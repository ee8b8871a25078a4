// Closed forms at default settings: only the settings that the question names are set. (./dev bench physics has many
// more.)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulation/probed_scene.h"

namespace clearance {
namespace {

constexpr double g = 9.80665;

std::string box(const std::string& kind, double size, const Vec<3>& at, double turn, const std::string& more = "",
                const std::string& name = "box") {
  const double young = 1e4 * 1000.0 * g * size;
  return fmt::format(
      R"({{"name": "{}", "kind": "{}", "generator": {{"kind": "box", "size": [{}, {}, {}], "resolution": [2, 2, 2]}},
          "transform": {{"rotation": [0, 0, {}], "translation": [{}, {}, {}]}},
          "material": {{"density": 1000, "youngs_modulus": {}}}{}}})",
      name, kind, size, size, size, turn, at[0], at[1], at[2], young, more);
}

/// Returns a block a hundredth of its size above a slope of 20 degrees.
std::string block_on_slope(const std::string& kind, double size, double mu, double h, const std::string& more = "") {
  const double angle = 20.0 * 3.14159265358979323846 / 180.0;
  const Vec<3> n(std::sin(angle), std::cos(angle), 0.0);
  return fmt::format(
      R"({{"time": {{"step": {}}}, "friction": {{"coefficient": {}}}, "bodies": [{}{}],
          "half_spaces": [{{"normal": [{}, {}, 0]}}]}})",
      h, mu, box(kind, size, 0.51 * size * n, -20.0), more, n[0], n[1]);
}

double kinetic(const StepReport& report) {
  return energy_term(report, "kinetic");
}

struct Slope {
  std::string kind;
  double size;
};

TEST(DefaultPhysics, ABlockSlidesDownASlopeAsCoulombSaysOfEverySizeAndKind) {
  for (const auto& [kind, size] : {Slope{"rigid", 0.2}, Slope{"affine", 1e-3}, Slope{"deformable", 100.0}}) {
    SCOPED_TRACE(kind);
    const double h = 0.1 * std::sqrt(size / g);
    RunningScene scene(block_on_slope(kind, size, 0.1, h));
    const StepReport report = scene.steps(40);
    const double angle = 20.0 * 3.14159265358979323846 / 180.0;
    const double v = g * (std::sin(angle) - 0.1 * std::cos(angle)) * 40 * h;
    const double expected = 0.5 * 1000.0 * size * size * size * v * v;
    EXPECT_NEAR(kinetic(report) / expected, 1.0, 0.02);
  }
}

/// Returns balls of a radius of 20 mm in a row along x, at places and with speeds.
std::string row_of_balls(const std::string& kind, double h, const std::vector<std::array<double, 2>>& balls,
                         double restitution) {
  std::string bodies;
  for (const auto& [x, speed] : balls) {
    bodies += fmt::format(
        R"({}{{"kind": "{}", "generator": {{"kind": "sphere", "size": [0.02], "resolution": [2]}},
             "transform": {{"translation": [{}, 0, 0]}}, "linear_velocity": [{}, 0, 0], "material": {{"density": 1000}}}})",
        bodies.empty() ? "" : ", ", kind, x, speed);
  }
  return fmt::format(
      R"({{"gravity": [0, 0, 0], "time": {{"step": {}}}, "contact": {{"restitution": {}}}, "bodies": [{}]}})", h,
      restitution, bodies);
}

TEST(DefaultPhysics, BodiesThatOthersPushInAnImpactKeepTheirShareOfTheMomentum) {
  // The third ball is hit by none on the ways that the balls would have alone: the second one pushes it, at once or
  // within the step.
  const std::vector<std::vector<std::array<double, 2>>> rows = {
      {{-0.1, 1.0}, {0.0, 0.0}, {0.0401, 0.0}, {0.0802, 0.0}},
      {{-0.1, 1.0}, {0.0, 0.0}, {0.041, 0.0}, {0.082, 0.0}},
      {{-0.1, 2.0}, {0.0, 0.0}, {0.1, -1.0}},
      {{-0.1, 2.0}, {0.0, 0.0}, {0.1, 0.0}},
  };
  for (const std::string kind : {"rigid", "affine"}) {
    for (const auto& row : rows) {
      for (const double h : {0.01, 0.002, 0.0005}) {
        SCOPED_TRACE(fmt::format("{}, {} balls, h = {}", kind, row.size(), h));
        RunningScene scene(row_of_balls(kind, h, row, h == 0.002 ? 0.5 : 0.0));
        const double before = scene.momentum()[0];
        scene.steps(static_cast<int>(std::round(0.12 / h)));
        EXPECT_NEAR(scene.momentum()[0], before, 1e-6 * before);
      }
    }
  }
}

TEST(DefaultPhysics, TheLastOfARowOfBallsLeavesAloneThatTouchOrNot) {
  for (const std::string kind : {"rigid", "affine"}) {
    for (const double gap : {1e-5, 1e-4, 1e-3}) {
      SCOPED_TRACE(fmt::format("{}, {} m apart", kind, gap));
      std::vector<std::array<double, 2>> balls = {{-0.06, 1.0}};
      for (int i = 0; i < 4; ++i) balls.push_back({i * (0.04 + gap), 0.0});
      RunningScene scene(row_of_balls(kind, 0.001, balls, 1.0));
      scene.steps(60);
      const int num_blocks = scene.num_nodes() / 5;
      for (int i = 0; i < 5; ++i) EXPECT_NEAR(scene.v(i * num_blocks)[0], i == 4 ? 1.0 : 0.0, 0.03) << "ball " << i;
    }
  }
}

TEST(DefaultPhysics, ABallThatFallsOnTopOfAHeavierOneLeavesFasterThanItCame) {
  // The lower ball rebounds with v and then hits the upper one, which comes with v: that leaves with (3 M - m) / (M +
  // m) v, the lower one goes on with (M - 3 m) / (M + m) v.
  const auto ball = [](double radius, double y) {
    return fmt::format(
        R"({{"kind": "rigid", "generator": {{"kind": "sphere", "size": [{}], "resolution": [2]}}, "material": {{"density": 1000}},
             "transform": {{"translation": [0, {}, 0]}}, "linear_velocity": [0, -1, 0]}})",
        radius, y);
  };
  RunningScene scene(fmt::format(
      R"({{"gravity": [0, 0, 0], "time": {{"step": 0.001}}, "contact": {{"restitution": 1}}, "bodies": [{}, {}],
          "half_spaces": [{{}}]}})",
      ball(0.04, 0.05), ball(0.02, 0.11001)));
  scene.steps(20);
  EXPECT_NEAR(scene.v(4)[1], (3.0 * 8.0 - 1.0) / 9.0, 0.02);
  EXPECT_NEAR(scene.v(0)[1], (8.0 - 3.0) / 9.0, 0.02);
}

TEST(DefaultPhysics, StiffBodiesInARowWithSoftOnesKeepMomentum) {
  std::string text = row_of_balls("rigid", 0.001, {{-0.05, 1.0}, {0.0, 0.0}, {0.0401, 0.0}, {0.0802, 0.0}}, 0.0);
  const std::string second = R"("kind": "rigid")";
  const std::size_t at = text.find(second, text.find(second) + 1);
  text.replace(at, second.size(), R"("kind": "deformable")");
  RunningScene scene(text);
  const double before = scene.momentum()[0];
  scene.steps(60);
  EXPECT_NEAR(scene.momentum()[0], before, 1e-6 * before);
}

TEST(DefaultPhysics, WhatFrictionHoldsDoesNotCreep) {
  for (const std::string kind : {"rigid", "affine", "deformable"}) {
    SCOPED_TRACE(kind);
    RunningScene scene(block_on_slope(kind, 0.2, 0.37, 0.01));  // tan 20 deg = 0.364
    scene.steps(30);
    const VecX settled = scene.state().x;
    scene.steps(100);
    EXPECT_LT((scene.state().x - settled).cwiseAbs().maxCoeff(), 1e-7 * 0.2);
  }
}

/// Returns a block that falls between two planes, `angle` degrees off the vertical, and gets stuck at 2 m/s.
std::string block_in_a_wedge(const std::string& kind, double angle, double mu) {
  const double a = angle * 3.14159265358979323846 / 180.0, x = 0.05 + 0.002 * std::cos(a),
               y = -0.05 - 0.002 * std::sin(a);
  return fmt::format(
      R"({{"time": {{"step": 0.01}}, "friction": {{"coefficient": {}}}, "bodies": [{}],
          "half_spaces": [{{"point": [{}, {}, 0], "normal": [{}, {}, 0]}}, {{"point": [{}, {}, 0],
          "normal": [{}, {}, 0]}}]}})",
      mu, box(kind, 0.1, Vec<3>::Zero(), 0.0, R"(, "linear_velocity": [0, -2, 0])"), -x, y, std::cos(a), std::sin(a), x,
      y, -std::cos(a), std::sin(a));
}

// Friction carried part of the load that pressed the block on, so that lagging it threw the block out of its contacts
// and dropped it back, in turns: 700 iterations, and no agreement.
TEST(DefaultPhysics, ABlockThatJamsInAWedgeNeedsFewIterationsAndStaysThere) {
  struct Wedge {
    double angle, mu;
  };
  for (const std::string kind : {"affine", "rigid", "deformable"}) {
    for (const auto& [angle, mu] : {Wedge{20.0, 0.5}, Wedge{5.0, 0.3}, Wedge{30.0, 1.0}}) {
      SCOPED_TRACE(fmt::format("{}, {} degrees, mu {}", kind, angle, mu));
      RunningScene scene(block_in_a_wedge(kind, angle, mu));
      int most = 0;
      for (int n = 0; n < 20; ++n) most = std::max(most, scene.step().newton_iterations);
      EXPECT_LT(most, 100);
      const VecX stuck = scene.state().x;
      const StepReport report = scene.steps(20);
      EXPECT_LT((scene.state().x - stuck).cwiseAbs().maxCoeff(), 1e-5 * 0.1);
      EXPECT_GT(report.num_contacts, 0);
    }
  }
}

TEST(DefaultPhysics, ABodyFarAwayChangesNothing) {
  const std::string far = "," + box("rigid", 50.0, {1000.0, 1000.0, 0.0}, 0.0, "", "far");
  RunningScene alone(block_on_slope("rigid", 0.2, 0.2, 0.01)), together(block_on_slope("rigid", 0.2, 0.2, 0.01, far));
  alone.steps(30);
  together.steps(30);
  for (int block = 0; block < 4; ++block) {
    // The two agree up to the tolerance: Newton takes another way if more bodies are in its matrix.
    EXPECT_LT((alone.x(block) - together.x(block)).norm(), 1e-4 * 0.2) << block;
  }
}

// When the barrier's force at the start was the normal force, friction stopped such a block at once.
TEST(DefaultPhysics, ABlockThatStartsWithinTheBarrierKeepsItsVelocity) {
  RunningScene scene(fmt::format(
      R"({{"time": {{"step": 0.005}}, "friction": {{"coefficient": 0.3}}, "bodies": [{}], "half_spaces": [{{}}]}})",
      box("rigid", 0.2, {0.0, 0.10005, 0.0}, 0.0, R"(, "linear_velocity": [2, 0, 0])")));
  scene.steps(40);
  EXPECT_NEAR(scene.v(0)[0], 2.0 - 0.3 * g * 0.2, 0.01);
}

// A barrier that pushed at the start threw it upwards.
TEST(DefaultPhysics, ABlockThatStartsWithinTheBarrierIsNotThrown) {
  RunningScene scene(fmt::format(R"({{"time": {{"step": 0.01}}, "bodies": [{}], "half_spaces": [{{}}]}})",
                                 box("rigid", 5.0, {0.0, 2.501, 0.0}, 0.0)));
  double highest = 0.0;
  for (int i = 0; i < 30; ++i) {
    scene.step();
    highest = std::max(highest, scene.x(0)[1]);
  }
  EXPECT_LT(highest, 2.501 + 1e-6);
}

TEST(DefaultPhysics, AccountsOfEnergyAndMomentumClose) {
  const std::string two_boxes = box("rigid", 0.2, {0.0, 0.15, 0.0}, 20.0, R"(, "angular_velocity": [90, 200, 0])") +
                                "," + box("deformable", 0.2, {0.05, 0.45, 0.0}, 5.0, "", "upper");
  const std::string affine = box("affine", 0.2, {0.0, 0.15, 0.0}, 20.0, R"(, "linear_velocity": [1, 0, 0.3])");
  for (const std::string integrator :
       {"implicit_euler", "implicit_newmark", "bdf2", "bdf2_restarted", "bdf2_in_flight"}) {
    for (const std::string& bodies : {two_boxes, affine}) {
      SCOPED_TRACE(integrator);
      RunningScene scene(fmt::format(
          R"({{"time": {{"step": 0.005, "integrator": "{}"}}, "friction": {{"coefficient": 0.4}}, "bodies": [{}],
              "half_spaces": [{{}}]}})",
          integrator, bodies));
      double at_work = 0.0;
      for (int i = 0; i < 60; ++i) {
        const StepReport report = scene.simulation().step();
        at_work = std::max({at_work, kinetic(report), std::abs(report.account.friction)});
        EXPECT_LT(std::abs(report.account.closure()), 1e-6 * at_work) << i;
        // Only the remaining forces separate momentum and impulse of implicit Euler.
        if (integrator == "implicit_euler") {
          const double weight = 1000.0 * 0.008 * g * 0.005;
          EXPECT_LT(report.momentum.integrator.norm(), 2e-3 * (weight + report.momentum.impulse.norm())) << i;
        }
      }
      EXPECT_GT(at_work, 1.0);
    }
  }
}

TEST(DefaultPhysics, WorkOfLoadsIsForceTimesWay) {
  RunningScene scene(
      fmt::format(R"({{"time": {{"step": 0.01}}, "gravity": [0, 0, 0], "bodies": [{}]}})",
                  box("rigid", 0.2, {0.0, 0.0, 0.0}, 0.0, R"(, "loads": [{"kind": "force", "value": [16, 0, 0]}])")));
  double work = 0.0, lost = 0.0;
  for (int i = 0; i < 50; ++i) {
    const StepReport report = scene.step();
    work += report.account.loads;
    lost += report.account.impacts + report.account.integrator;
  }
  EXPECT_NEAR(work, 16.0 * scene.x(0)[0], 1e-9);
  EXPECT_NEAR(0.5 * 8.0 * scene.v(0).squaredNorm(), work + lost, 1e-6 * work);
}

/// Returns the angle [rad] by which a cube that hangs on its upper left edge, with its centre to the right of it, turns
/// down within `time`.
double fall_of_a_hinged_cube(double size, double time) {
  // The centre is sqrt(1/2) size away, where the cube has the moment of inertia 2/3 m size^2.
  constexpr int num_parts = 10000;
  const double h = time / num_parts, rate = 3.0 * g / (2.0 * std::sqrt(2.0) * size), start = -std::atan(1.0);
  double angle = start, speed = 0.0;
  for (int i = 0; i < num_parts; ++i) {
    const double middle = angle + 0.5 * h * speed;
    speed -= h * rate * std::cos(middle);
    angle = middle + 0.5 * h * speed;
  }
  return start - angle;
}

// With lumped masses the cube turned by a ninth less.
TEST(DefaultPhysics, ACoarseSoftCubeTurnsAsFastAsItsInertiaSays) {
  const double size = 0.1, h = 0.002;
  RunningScene scene(fmt::format(
      R"({{"time": {{"step": {}}}, "contact": {{"enabled": false}}, "bodies": [{{"kind": "deformable",
          "generator": {{"kind": "box", "size": [{}, {}, {}], "resolution": [2, 2, 2]}},
          "material": {{"density": 1000, "youngs_modulus": 1e9}},
          "motions": [{{"region": {{"box": [[0, 1, 0], [0, 1, 1]], "frame": "body"}}}}]}}]}})",
      h, size, size, size));
  const int num_steps = 50;
  scene.steps(num_steps);
  // The lower left edge, below the one that is held, has turned to the left.
  Vec<3> below = Vec<3>::Zero(), now = Vec<3>::Zero();
  for (int node = 0; node < scene.num_nodes(); ++node) {
    const Vec<3> rest = scene.rest(node);
    const double sign = rest[1] < -0.49 * size && rest[0] < -0.49 * size  ? 1.0
                        : rest[1] > 0.49 * size && rest[0] < -0.49 * size ? -1.0
                                                                          : 0.0;
    below += sign * rest;
    now += sign * scene.x(node);
  }
  const double turned = std::atan2(below[0] * now[1] - below[1] * now[0], below.dot(now));
  EXPECT_NEAR(-turned / fall_of_a_hinged_cube(size, num_steps * h), 1.0, 0.02);
}

// The neighbours of what is led feel its acceleration, and it theirs, through the mass matrix.
TEST(DefaultPhysics, WhatMovesASoftBodyCarriesItsInertia) {
  const double size = 0.1, mass = 1.0, h = 0.001, acceleration = 3.0;
  ProbedScene scene(fmt::format(
      R"({{"time": {{"step": {}}}, "gravity": [0, 0, 0], "contact": {{"enabled": false}}, "bodies": [{{
          "name": "cube", "kind": "deformable",
          "generator": {{"kind": "box", "size": [{}, {}, {}], "resolution": [2, 2, 2]}},
          "material": {{"density": 1000, "youngs_modulus": 1e7, "damping": 1e-3}},
          "motions": [{{"region": {{"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}},
                        "displacement": ["1.5*t*t", 0, 0]}}]}}],
          "output": {{"probes": [{{"name": "hold", "kind": "reaction", "body": "cube"}}]}}}})",
      h, size, size, size));
  // The waves of the start have died down after 200 steps.
  scene.steps(200);
  double reaction = 0.0;
  const int num_steps = 100;
  for (int i = 0; i < num_steps; ++i) {
    scene.step();
    reaction += scene.probe_vector("hold.force", "N")[0] / num_steps;
  }
  EXPECT_NEAR(reaction / (mass * acceleration), 1.0, 1e-3);
}

}  // namespace
}  // namespace clearance
