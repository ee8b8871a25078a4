// Loads against closed forms: accelerations, tractions and forces, formulas and time windows.
#include <fmt/format.h>

#include <cmath>

#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns a ball on which only `loads` act.
std::string free_ball(const std::string& loads, const std::string& time = R"("step": 0.01)") {
  return R"({"gravity": [0, 0, 0], "time": {)" + time + R"(}, "bodies": [{"generator": {"kind": "sphere", "size": [0.5],
    "resolution": [2]}, "transform": {"rotation": [20, 30, 40], "translation": [0.3, 2, -1]},
    "material": {"youngs_modulus": 2e4}, "loads": [)" +
         loads + "]}]}";
}

/// Returns a bar along x of length 1 and a section of 0.1 (x 0.1), with its left end held and no contraction.
std::string loaded_bar(int dimension, const std::string& load) {
  const std::string shape = dimension == 2 ? R"("rectangle", "size": [1, 0.1], "resolution": [10, 2])"
                                           : R"("box", "size": [1, 0.1, 0.1], "resolution": [10, 2, 2])";
  return R"({"dimension": )" + std::to_string(dimension) +
         R"(, "gravity": [0, 0, 0], "time": {"step": 1, "integrator": "quasi_static"}, "solver": {"force_tolerance": 1e-9},
    "bodies": [{"generator": {"kind": )" +
         shape + R"(}, "material": {"model": "linear_elasticity", "youngs_modulus": 2e5, "poisson_ratio": 0},
      "motions": [{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}],
      "loads": [{"region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}, )" +
         load + "}]}]}";
}

Vec<3> mean_velocity(const RunningScene& scene) {
  return scene.momentum() / scene.total_mass();
}

class Load : public testing::TestWithParam<std::string> {};

TEST_P(Load, ConstantAccelerationIsWeight) {
  const std::string time = R"("step": 0.01, "integrator": ")" + GetParam() + "\"";
  RunningScene loaded(free_ball(R"({"value": [1, -9.80665, 0.5]})", time));
  RunningScene heavy(free_ball("", time), {"gravity=[1, -9.80665, 0.5]"});
  loaded.steps(10);
  heavy.steps(10);
  EXPECT_LT((loaded.state().x - heavy.state().x).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((loaded.state().v - heavy.state().v).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(mean_velocity(loaded)[1], -0.9);
}

INSTANTIATE_TEST_SUITE_P(Integrators, Load, testing::Values("implicit_euler", "implicit_newmark", "bdf2"),
                         [](const auto& name) { return name.param; });

TEST(Load, ThatBeginsAndEndsLaterChangesTheVelocityByItsImpulse) {
  for (const char* integrator : {"bdf2", "bdf2_restarted", "bdf2_in_flight"}) {
    for (const char* kind : {"deformable", "rigid"}) {
      RunningScene ball(free_ball(R"({"value": [0, -10, 0], "start": 0.2, "end": 0.5})"),
                        {fmt::format("time.integrator={}", integrator), fmt::format("bodies[0].kind={}", kind)});
      ball.steps(80);
      // The first block of a stiff body is its centre of mass.
      const double velocity = kind == std::string("rigid") ? ball.v(0)[1] : mean_velocity(ball)[1];
      EXPECT_NEAR(velocity, -3.0, 1e-9) << integrator << ", " << kind;
    }
  }
}

TEST(Load, FormulaIsTakenAtTheEndOfTheStep) {
  RunningScene ball(free_ball(R"({"expression": ["6 * t", "0", "cos(t) "]})"), {"time.integrator=implicit_euler"});
  const double h = 0.01;
  double v_x = 0.0, v_z = 0.0;
  for (int n = 1; n <= 10; ++n) {
    ball.step();
    v_x += h * 6 * n * h;
    v_z += h * std::cos(n * h);
    EXPECT_NEAR(mean_velocity(ball)[0], v_x, 1e-12) << "step " << n;
    EXPECT_NEAR(mean_velocity(ball)[2], v_z, 1e-12) << "step " << n;
  }
}

TEST(Load, FormulaOfThePositionTurnsABody) {
  // Accelerations omega_dot x r about the start's centre: angular momentum grows, linear momentum does not.
  RunningScene ball(free_ball(R"({"expression": ["-(y - 2) ", "x - 0.3", "0"]})"),
                    {"bodies[0].material.youngs_modulus=1e6"});
  const Vec<3> center = ball.center_of_mass();
  ball.steps(10);
  EXPECT_LT(mean_velocity(ball).norm(), 1e-6);
  VecX arms = ball.state().x;
  for (int i = 0; i < ball.num_nodes(); ++i) arms.segment<3>(3 * i) -= center;
  VecX start = ball.model().x_rest;
  for (int i = 0; i < ball.num_nodes(); ++i) start.segment<3>(3 * i) -= center;
  double inertia = 0.0;
  for (int i = 0; i < ball.num_nodes(); ++i) inertia += ball.mass(i) * ball.at(start, i).head<2>().squaredNorm();
  EXPECT_NEAR(ball.moment(arms, ball.state().v)[2], 0.1 * inertia, 2e-3 * inertia);
}

TEST(Load, ActsInTheStepsThatBeginInItsWindowAndLoadsAdd) {
  RunningScene ball(free_ball(R"({"value": [2, 0, 0], "start": 0.03, "end": 0.06},
                                 {"value": [0, 1, 0], "start": 0.05}, {"value": [0, 1, 0], "start": 0.05})"),
                    {"time.integrator=implicit_euler"});
  for (int n = 1; n <= 10; ++n) {
    ball.step();
    EXPECT_NEAR(mean_velocity(ball)[0], 0.02 * std::clamp(n - 3, 0, 3), 1e-13) << "step " << n;
    EXPECT_NEAR(mean_velocity(ball)[1], 0.02 * std::max(n - 5, 0), 1e-13) << "step " << n;
  }
}

TEST(Load, TractionStretchesABarBySigmaOverE) {
  for (int dimension : {2, 3}) {
    RunningScene bar(loaded_bar(dimension, R"("kind": "traction", "value": [400, 0, 0])"));
    bar.step();
    for (int i = 0; i < bar.num_nodes(); ++i) {
      const Vec<3> u = bar.x(i) - bar.rest(i);
      EXPECT_NEAR(u[0], 400.0 / 2e5 * (bar.rest(i)[0] + 0.5), 1e-11) << dimension << "D, node " << i;
      EXPECT_LT(u.tail<2>().norm(), 1e-11);
    }
  }
}

TEST(Load, ForceIsTheTractionOverItsWholeArea) {
  for (int dimension : {2, 3}) {
    const double area = dimension == 2 ? 0.1 : 0.01;
    RunningScene bar(loaded_bar(dimension, R"("kind": "force", "value": [)" + std::to_string(400 * area) + ", 0, 0]"));
    bar.step();
    for (int i = 0; i < bar.num_nodes(); ++i) {
      EXPECT_NEAR(bar.x(i)[0] - bar.rest(i)[0], 400.0 / 2e5 * (bar.rest(i)[0] + 0.5), 1e-11) << dimension << "D";
    }
  }
}

TEST(Load, ForceOnEveryCopyOfABodyIsTheWholeForce) {
  const auto scene = [](const std::string& array) {
    return R"({"gravity": [0, 0, 0], "bodies": [{"generator": {"kind": "box", "resolution": [1, 1, 1]}, )" + array +
           R"("loads": [{"kind": "force", "value": [0, 50, 0]}]}]})";
  };
  RunningScene one(scene("")), three(scene(R"("array": {"counts": [3, 1, 1], "spacing": [2, 0, 0]}, )"));
  one.step();
  three.step();
  EXPECT_NEAR(one.momentum()[1], 50 * 0.01, 1e-10);
  EXPECT_NEAR(three.momentum()[1], 3 * one.momentum()[1], 1e-10);
}

TEST(Load, ThatFindsNothingIsWarnedAbout) {
  RunningScene ball(
      free_ball(R"({"region": {"box": [[9, 9, 9], [10, 10, 10]]}, "kind": "traction", "value": [1, 0, 0]})"));
  ASSERT_EQ(ball.simulation().warnings().size(), 1U);
  EXPECT_EQ(to_string(ball.simulation().warnings()[0]),
            "bodies[0].loads[0].region: warning: the region contains no boundary face of body 'sphere', so that the "
            "load has no effect");
  ball.step();
  EXPECT_EQ(ball.momentum(), Vec<3>::Zero());
}

TEST(Load, ThatIsNotFiniteEndsTheRunAndLosesNothing) {
  RunningScene ball(free_ball(R"({"expression": ["0", "sqrt(0.035 - t) ", "0"]})"));
  ball.steps(3);
  const VecX x = ball.state().x, v = ball.state().v;
  const StepReport report = ball.simulation().step();
  EXPECT_EQ(to_string(report.status), "undefined_input");
  EXPECT_FALSE(report.is_advanced());
  EXPECT_TRUE(report.limited_by.starts_with("bodies[0].loads[0].expression[1]: the value is ")) << report.limited_by;
  EXPECT_NE(report.limited_by.find("is not a number at t = 0.04 s"), std::string::npos) << report.limited_by;
  EXPECT_EQ(ball.state().step, 3);
  EXPECT_EQ(ball.state().x, x);
  EXPECT_EQ(ball.state().v, v);
}

}  // namespace
}  // namespace clearance
