// Flight without contact against closed form, and the order of convergence of every integrator.
#include <cmath>

#include "simulation/running_scene.h"

namespace clearance {
namespace {

constexpr double g = -9.80665;  // [m/s^2]

std::string flying_ball(const std::string& integrator, double h, const std::string& gravity) {
  return R"({"gravity": )" + gravity + R"(, "time": {"step": )" + std::to_string(h) + R"(, "integrator": ")" +
         integrator +
         R"("}, "bodies": [{"generator": {"kind": "sphere", "size": [0.5], "resolution": [2]},
              "transform": {"rotation": [20, 30, 40], "translation": [0.3, 2, -1]},
              "linear_velocity": [1.5, 4.0, -2.5], "material": {"youngs_modulus": 2e4}}]})";
}

class Flight : public testing::TestWithParam<std::string> {};

TEST_P(Flight, ConstantVelocityIsExact) {
  RunningScene ball(flying_ball(GetParam(), 0.01, "[0, 0, 0]"));
  const Vec<3> start = ball.center_of_mass();
  const StepReport report = ball.steps(20);
  // Sums of 20 steps round at 1e-16 of some metres each.
  EXPECT_LT((ball.center_of_mass() - start - 0.2 * Vec<3>(1.5, 4.0, -2.5)).norm(), 1e-13);
  EXPECT_LT((ball.momentum() / ball.total_mass() - Vec<3>(1.5, 4.0, -2.5)).norm(), 1e-12);
  EXPECT_LT(std::abs(energy_term(report, "elastic")), 1e-9);
}

/// Returns the height of the centre of mass after n steps of h, without the part of the initial velocity.
double discrete_fall(const std::string& integrator, int n, double h) {
  if (integrator == "implicit_euler") return 0.5 * g * h * h * n * (n + 1);
  // Newmark with beta 1/4, gamma 1/2 is exact for a constant force; so is BDF2 but for its first step, of Euler, whose
  // error g h^2 / 2 grows to 3/2 of it: e_n = 4/3 e_(n-1) - 1/3 e_(n-2).
  const double exact = 0.5 * g * h * h * n * n;
  return integrator == "bdf2" ? exact + 0.5 * g * h * h * 1.5 * (1.0 - std::pow(3.0, -n)) : exact;
}

TEST_P(Flight, FreeFallIsTheDiscreteClosedForm) {
  RunningScene ball(flying_ball(GetParam(), 0.01, "[0, -9.80665, 0]"));
  const Vec<3> start = ball.center_of_mass();
  for (int n = 1; n <= 20; ++n) {
    ball.step();
    const Vec<3> moved = ball.center_of_mass() - start;
    EXPECT_NEAR(moved[1], 4.0 * 0.01 * n + discrete_fall(GetParam(), n, 0.01), 1e-12) << "step " << n;
    EXPECT_NEAR(moved[0], 1.5 * 0.01 * n, 1e-12);
    // A uniform force deforms nothing.
    EXPECT_NEAR((ball.momentum() / ball.total_mass())[1], 4.0 + g * 0.01 * n, 1e-11);
  }
}

TEST_P(Flight, ConsistentMassFallsTheSame) {
  RunningScene ball(flying_ball(GetParam(), 0.01, "[0, -9.80665, 0]"), {"time.mass=consistent"});
  const double start = ball.center_of_mass()[1];
  ball.steps(10);
  // M times a uniform acceleration is the lumped weight, row by row.
  EXPECT_NEAR(ball.center_of_mass()[1] - start, 4.0 * 0.1 + discrete_fall(GetParam(), 10, 0.01), 1e-12);
}

/// The gradient of the inertia omitted a body's restart, so that steps of restarted BDF2 led nowhere.
TEST(ConsistentMass, CountsRestartsOfBdf2) {
  const std::string bar =
      R"({"time": {"step": 0.01, "integrator": "bdf2_restarted"}, "bodies": [{"generator": {"kind": "box",
    "size": [0.4, 0.1, 0.1], "resolution": [8, 2, 2]}, "material": {"youngs_modulus": 1e6},
    "motions": [{"region": {"frame": "body", "box": [[0, 0, 0], [0, 1, 1]]}}]}]})";
  RunningScene consistent(bar), lumped(bar, {"time.mass=lumped"});
  double lowest_consistent = 0.0, lowest_lumped = 0.0;
  for (int n = 0; n < 40; ++n) {
    EXPECT_LT(consistent.step().newton_iterations, 10) << n;
    lumped.step();
    lowest_consistent = std::min(lowest_consistent, consistent.center_of_mass()[1]);
    lowest_lumped = std::min(lowest_lumped, lumped.center_of_mass()[1]);
  }
  EXPECT_NEAR(lowest_consistent, lowest_lumped, 0.02 * std::abs(lowest_lumped));
}

TEST_P(Flight, ConsistentMassOfABeamWithAStiffPartFallsTheSame) {
  // Half of the beam is stiff; an affine and a rigid body fly beside it.
  RunningScene scene(R"({"gravity": [0, -9.80665, 0], "time": {"step": 0.01, "mass": "consistent", "integrator": ")" +
                     GetParam() + R"("}, "bodies": [
      {"generator": {"kind": "box", "size": [1, 0.2, 0.2], "resolution": [8, 1, 1]}, "linear_velocity": [1.5, 4, -2.5],
       "stiff_parts": [{"region": {"frame": "body", "box": [[-0.1, -0.1, -0.1], [0.51, 1.1, 1.1]]}}],
       "material": {"youngs_modulus": 2e4}},
      {"kind": "affine", "generator": {"kind": "box", "size": [0.2, 0.2, 0.2]}, "linear_velocity": [1.5, 4, -2.5],
       "transform": {"translation": [0, 1, 0]}},
      {"kind": "rigid", "generator": {"kind": "box", "size": [0.2, 0.2, 0.2]}, "linear_velocity": [1.5, 4, -2.5],
       "transform": {"translation": [0, -1, 0]}}]})");
  const VecX start = scene.scene().frames.vertex_map.apply(scene.state().x);
  scene.steps(10);
  const VecX end = scene.scene().frames.vertex_map.apply(scene.state().x);
  for (int v = 0; v < start.size() / 3; ++v) {
    const Vec<3> moved = block<3>(end, v) - block<3>(start, v);
    EXPECT_LT((moved - Vec<3>(0.15, 0.4 + discrete_fall(GetParam(), 10, 0.01), -0.25)).norm(), 1e-10) << "vertex " << v;
  }
}

TEST_P(Flight, FreeFallErrorShrinksWithTheOrderOfTheIntegrator) {
  const auto error = [&](double h) {
    RunningScene ball(flying_ball(GetParam(), h, "[0, -9.80665, 0]"));
    const double start = ball.center_of_mass()[1];
    ball.steps(static_cast<int>(std::lround(0.32 / h)));
    return std::abs(ball.center_of_mass()[1] - start - 4.0 * 0.32 - 0.5 * g * 0.32 * 0.32);
  };
  const double coarse = error(0.04), fine = error(0.02);
  if (GetParam() == "implicit_newmark" || GetParam() == "bdf2_in_flight") {
    EXPECT_LT(coarse, 1e-13);
    return;
  }
  // After 8 and 16 steps, the start of BDF2 has died away to 3^-8.
  EXPECT_NEAR(std::log2(coarse / fine), GetParam() == "bdf2" ? 2.0 : 1.0, 1e-3);
}

/// Returns the state of a cantilever that swings under gravity; its motion is not polynomial in time.
VecX swung_beam(const std::string& integrator, double h) {
  RunningScene beam(R"({"dimension": 2, "time": {"step": )" + std::to_string(h) + R"(, "integrator": ")" + integrator +
                    R"("}, "solver": {"force_tolerance": 1e-7},
    "bodies": [{"generator": {"kind": "rectangle", "size": [1, 0.4], "resolution": [3, 1]},
                "material": {"youngs_modulus": 1e5, "poisson_ratio": 0.3},
                "motions": [{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}]}]})");
  beam.steps(static_cast<int>(std::lround(0.16 / h)));
  return beam.state().x;
}

TEST_P(Flight, SwingingBeamConvergesWithTheOrderOfTheIntegrator) {
  // The highest of its modes has a period of about 0.02 s: steps of 1/40 of it and finer are in the asymptotic range.
  std::vector<VecX> x;
  for (double h : {5e-4, 2.5e-4, 1.25e-4}) x.push_back(swung_beam(GetParam(), h));
  const double order = std::log2((x[0] - x[1]).norm() / (x[1] - x[2]).norm());
  EXPECT_NEAR(order, GetParam() == "implicit_euler" ? 1.0 : 2.0, 0.15);
  EXPECT_GT((x[2] - swung_beam(GetParam(), 0.16)).norm(), 1e-3) << "the beam does not move";
}

INSTANTIATE_TEST_SUITE_P(Integrators, Flight,
                         testing::Values("implicit_euler", "implicit_newmark", "bdf2", "bdf2_in_flight"),
                         [](const auto& name) { return name.param; });

TEST(Damping, OfAVibratingBarFollowsTheClosedFormOfItsMode) {
  // Stiffness-proportional damping c leaves the modes as they are; a mode of angular frequency w loses energy as
  // exp(-c w^2 t). The bar starts straight and stretches under gravity, mostly in its first mode w = pi/2 sqrt(E/rho) /
  // L.
  const auto amplitude_after = [](const std::string& damping) {
    RunningScene bar(R"({"dimension": 2, "time": {"step": 0.0005, "integrator": "implicit_newmark"},
      "solver": {"force_tolerance": 1e-9},
      "bodies": [{"generator": {"kind": "rectangle", "size": [0.1, 1], "resolution": [1, 10]},
                  "material": {"model": "linear_elasticity", "youngs_modulus": 1e6, "poisson_ratio": 0, "damping": )" +
                     damping + R"(}, "motions": [{"region": {"box": [[0, 1, 0], [1, 1, 1]], "frame": "body"}}]}]})");
    double lowest = 0.0, highest = -1.0;
    for (int n = 1; n <= 600; ++n) {
      bar.step();
      const double drop = bar.center_of_mass()[1];
      if (n > 400) lowest = std::min(lowest, drop), highest = std::max(highest, drop);
    }
    return highest - lowest;
  };
  // Over steps 400 to 600 both swing through most of a period of 4 L / sqrt(E/rho) = 0.126 s, the extremes at the same
  // times: the first of them decides. Amplitudes fall as exp(-c w^2 t / 2) with w = 49.7 1/s and t about 0.22 s.
  const double free = amplitude_after("0"), damped = amplitude_after("0.002");
  EXPECT_NEAR(std::log(free / damped), 0.5 * 0.002 * 49.7 * 49.7 * 0.23, 0.12);
}

TEST(FreeMotion, AThrownBodyIsWhereItShouldBeFromTheFirstStepOn) {
  for (const std::string kind : {"rigid", "affine", "deformable"}) {
    SCOPED_TRACE(kind);
    RunningScene scene(R"({"gravity": [0, -10, 0], "half_spaces": [{"point": [0, -5, 0]}], "bodies": [{"kind": ")" +
                           kind +
                           R"(", "generator": {"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [2, 2, 2]},
      "linear_velocity": [1, 3, 0]}]})",
                       {"time.step=0.05"});
    const Vec<3> start = scene.x(0);
    for (int n = 1; n <= 8; ++n) {
      scene.step();
      const double t = 0.05 * n;
      EXPECT_NEAR((scene.x(0) - start - Vec<3>(t, 3.0 * t - 5.0 * t * t, 0.0)).norm(), 0.0, 1e-9) << n;
      EXPECT_NEAR((scene.v(0) - Vec<3>(1.0, 3.0 - 10.0 * t, 0.0)).norm(), 0.0, 1e-8) << n;
    }
  }
}

TEST(FreeMotion, APrescribedBodyHasItsVelocityFromTheFirstStepOn) {
  RunningScene scene(R"({"gravity": [0, 0, 0], "bodies": [{"kind": "rigid", "generator": {"kind": "box",
    "size": [0.2, 0.2, 0.2]}, "motions": [{"linear_velocity": [2, 0, 0]}]}]})");
  scene.step();
  EXPECT_NEAR((scene.v(0) - Vec<3>(2, 0, 0)).norm(), 0.0, 1e-9);
  scene.step();
  EXPECT_NEAR((scene.v(0) - Vec<3>(2, 0, 0)).norm(), 0.0, 1e-9);
}

}  // namespace
}  // namespace clearance
