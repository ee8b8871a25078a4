// Small strains against linear theory, and equilibrium without inertia.
#include <fmt/format.h>

#include <cmath>

#include "simulation/probed_scene.h"

namespace clearance {
namespace {

/// Returns a bar along x of length 1 and a section of 0.1 x 0.1; its left end is held and its right one pulled by
/// `strain` in one step.
std::string pulled_bar(const std::string& model, double poisson_ratio, double strain, int cells) {
  return R"({"gravity": [0, 0, 0], "time": {"step": 1, "integrator": "quasi_static"}, "solver": {"force_tolerance": 1e-9},
    "bodies": [{"generator": {"kind": "box", "size": [1, 0.1, 0.1], "resolution": [)" +
         std::to_string(10 * cells) + ", " + std::to_string(cells) + ", " + std::to_string(cells) + R"(]},
      "material": {"model": ")" +
         model + R"(", "youngs_modulus": 2e5, "poisson_ratio": )" + std::to_string(poisson_ratio) + R"(},
      "motions": [{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}},
                  {"region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}, "linear_velocity": [)" +
         std::to_string(strain) + R"(, 0, 0]}]}]})";
}

TEST(Bar, WithoutLateralContractionStoresHalfOfEAoverLTimesStretchSquared) {
  RunningScene bar(pulled_bar("linear_elasticity", 0.0, 1e-3, 1));
  const double energy = energy_term(bar.step(), "elastic");
  // Uniform strain is in the space of linear elements: exact but for rounding.
  EXPECT_NEAR(energy, 0.5 * 2e5 * 0.01 * 1e-6, 1e-12 * 2e5);
  for (int i = 0; i < bar.num_nodes(); ++i)
    EXPECT_NEAR(bar.x(i)[0] - bar.rest(i)[0], 1e-3 * (bar.rest(i)[0] + 0.5), 1e-12);
}

TEST(Bar, ContractsSidewaysByPoissonsRatio) {
  RunningScene bar(pulled_bar("linear_elasticity", 0.3, 1e-3, 2));
  const double energy = energy_term(bar.step(), "elastic");
  // Far from the clamped ends (St. Venant) each side moves by nu * strain / 2 of the width, and the axial strain is
  // uniform.
  double lateral = 0.0, left = 0.0, right = 0.0;
  int count = 0, count_left = 0, count_right = 0;
  for (int i = 0; i < bar.num_nodes(); ++i) {
    const Vec<3> p = bar.rest(i), u = bar.x(i) - p;
    if (std::abs(p[0]) < 0.11 && std::abs(std::abs(p[1]) - 0.05) < 1e-9) lateral += u[1] / p[1], ++count;
    if (std::abs(p[0] + 0.2) < 1e-9) left += u[0], ++count_left;
    if (std::abs(p[0] - 0.2) < 1e-9) right += u[0], ++count_right;
  }
  ASSERT_GT(count, 0);
  ASSERT_GT(std::min(count_left, count_right), 0);
  const double strain = (right / count_right - left / count_left) / 0.4;
  EXPECT_NEAR(lateral / count / strain, -0.3, 0.3 * 0.005);
  // The clamps stiffen about one width at either end by a few percent, never soften; 1/2 E A/L u^2 is the lower bound.
  const double linear_theory = 0.5 * 2e5 * 0.01 * 1e-6;
  EXPECT_GT(energy, linear_theory);
  EXPECT_LT(energy, 1.02 * linear_theory);
  // Far from the ends, the energy is 1/2 E strain^2 per volume, so that the strain follows from the total energy.
  EXPECT_NEAR(strain, 1e-3, 1e-3 * 0.02);
}

TEST(Bar, AllMaterialsAgreeAtSmallStrain) {
  for (double strain : {1e-3, 1e-4}) {
    RunningScene linear(pulled_bar("linear_elasticity", 0.3, strain, 1));
    const double expected = energy_term(linear.step(), "elastic");
    for (const char* model : {"neo_hookean", "fixed_corotational", "st_venant_kirchhoff"}) {
      RunningScene bar(pulled_bar(model, 0.3, strain, 1));
      const double energy = energy_term(bar.step(), "elastic");
      // The energies differ in the terms of third order: a few strains.
      EXPECT_NEAR(energy, expected, 5.0 * strain * expected) << model << " at " << strain;
      EXPECT_LT((bar.state().x - linear.state().x).cwiseAbs().maxCoeff(), 5.0 * strain * strain) << model;
    }
  }
}

std::string hanging_bar(int dimension, const std::string& time, const std::string& extra = "") {
  const std::string shape = dimension == 2 ? R"("rectangle", "size": [0.1, 1], "resolution": [1, 10])"
                                           : R"("box", "size": [0.1, 1, 0.1], "resolution": [1, 10, 1])";
  return R"({"dimension": )" + std::to_string(dimension) + R"(, "time": {)" + time +
         R"(}, "solver": {"force_tolerance": 1e-9},
    "bodies": [{"generator": {"kind": )" +
         shape + R"(}, "material": {"youngs_modulus": 1e7, "poisson_ratio": 0)" + extra + R"(},
      "motions": [{"region": {"box": [[0, 1, 0], [1, 1, 1]], "frame": "body"}}]}]})";
}

double tip_elongation(const RunningScene& bar) {
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < bar.num_nodes(); ++i) {
    if (bar.rest(i)[1] < -0.5 + 1e-9) sum += bar.rest(i)[1] - bar.x(i)[1], ++count;
  }
  return sum / count;
}

TEST(Bar, HangingUnderItsWeightIsLongerByRhoGLSquaredOver2E) {
  for (int dimension : {2, 3}) {
    RunningScene bar(hanging_bar(dimension, R"("step": 1, "integrator": "quasi_static")"));
    bar.step();
    const double expected = 1000.0 * 9.80665 / (2.0 * 1e7);
    // The strain is 5e-4 on average, the relative error of linear theory; masses lumped from tets are not even in a
    // section.
    EXPECT_NEAR(tip_elongation(bar), expected, 5e-3 * expected) << dimension << "D";
  }
}

TEST(QuasiStatic, IsWhatTheDynamicsRelaxTo) {
  RunningScene equilibrium(
      hanging_bar(3, R"("step": 1, "integrator": "quasi_static"}, "static": {"quadratic_elements": 0)"));
  equilibrium.step();
  // Implicit Euler takes steps far longer than any period: only equilibrium survives.
  RunningScene relaxed(hanging_bar(3, R"("step": 0.5)"));
  relaxed.steps(20);
  EXPECT_LT((relaxed.state().x - equilibrium.state().x).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT(relaxed.state().v.cwiseAbs().maxCoeff(), 1e-9);
}

/// It counted as balanced 45 m down the slope, where what was left of the forces moved it little beside that.
TEST(QuasiStatic, BlockOnASlopeSteeperThanItsFrictionHoldsHasNoEquilibrium) {
  RunningScene block(R"({"time": {"step": 1, "integrator": "quasi_static"}, "friction": {"coefficient": 0.3},
    "bodies": [{"generator": {"kind": "box", "size": [0.1, 0.05, 0.1]},
      "transform": {"rotation": [0, 0, -20], "translation": [0.008550845603285043, 0.023493255212268496, 0]},
      "material": {"density": 7850, "youngs_modulus": 2.1e11, "poisson_ratio": 0.3}}],
    "half_spaces": [{"point": [0, 0, 0], "normal": [0.3420201433256687, 0.9396926207859084, 0]}]})");
  const VecX start = block.state().x;
  EXPECT_EQ(to_string(block.simulation().step().status), "no_equilibrium");
  EXPECT_EQ(block.state().x, start);
}

/// Newton's method found balances of stacks that had fallen over, since the first lag of friction knows no contacts.
TEST(QuasiStatic, StacksOfSoftSquaresStayUpright) {
  const auto stack = [](int count, double youngs_modulus, double friction, double gap) {
    std::string bodies;
    for (int i = 0; i < count; ++i) {
      bodies += fmt::format(
          R"({}{{"name": "square{}", "generator": {{"kind": "rectangle", "size": [0.1, 0.1], "resolution": [4, 4]}},
        "transform": {{"translation": [0, {}]}},
        "material": {{"youngs_modulus": {}, "poisson_ratio": 0, "density": 1000}}}})",
          i > 0 ? ", " : "", i, 0.05 + gap + i * (0.1 + gap), youngs_modulus);
    }
    return fmt::format(R"({{"dimension": 2, "time": {{"step": 1, "integrator": "quasi_static"}},
      "friction": {{"coefficient": {}}}, "half_spaces": [{{"point": [0, 0], "normal": [0, 1]}}],
      "bodies": [{}], "output": {{"probes": [{{"name": "top", "body": "square{}"}}]}}}})",
                       friction, bodies, count - 1);
  };
  struct Case {
    int count;
    double youngs_modulus, friction, gap;
  };
  for (const Case& c : {Case{4, 2e5, 0.5, 1e-4}, Case{3, 1e5, 0.3, 1e-3}, Case{6, 4e5, 0.5, 1e-4}}) {
    ProbedScene scene(stack(c.count, c.youngs_modulus, c.friction, c.gap));
    ASSERT_EQ(to_string(scene.step().status), "converged");
    // Under its own weight a column is shorter by rho g (L z - z^2 / 2) / E below the height z.
    const double height = 0.1 * c.count, z = height - 0.05, g = 9.80665;
    const double expected = z - 1000 * g * (height * z - z * z / 2) / c.youngs_modulus;
    EXPECT_NEAR(scene.probe("top.y [m]"), expected, 5e-3 * height) << c.count;
    EXPECT_NEAR(scene.probe("top.x [m]"), 0.0, 1e-6) << c.count;
  }
}

TEST(QuasiStatic, SecondStepWithoutNewLoadMovesNothing) {
  RunningScene bar(hanging_bar(2, R"("step": 1, "integrator": "quasi_static")"));
  bar.step();
  const VecX x = bar.state().x;
  EXPECT_LE(bar.step().newton_iterations, 1);
  EXPECT_LT((bar.state().x - x).cwiseAbs().maxCoeff(), 1e-9);
}

/// A block of 2 kg on a floor with friction 0.5, pushed sideways by a growing share of its weight.
std::string pushed_block(const std::string& kind, double dhat) {
  return fmt::format(R"({{"gravity": [0, -10, 0], "time": {{"step": 0.1, "integrator": "quasi_static"}},
    "friction": {{"coefficient": 0.5}}, "contact": {{"dhat": {0}}}, "half_spaces": [{{"normal": [0, 1, 0]}}],
    "bodies": [{{"name": "block", "kind": "{1}", "generator": {{"kind": "box", "size": [0.1, 0.02, 0.1],
      "resolution": [2, 2, 2]}}, "transform": {{"translation": [0, {2}, 0]}},
      "material": {{"density": 10000, "youngs_modulus": 1e8}},
      "loads": [{{"kind": "force", "expression": ["20 * t", "0", "0"]}}]}}]}})",
                     dhat, kind, 0.01 + 0.5 * dhat);
}

TEST(QuasiStatic, FindsNoEquilibriumBeyondFrictionAndLeavesTheState) {
  for (const char* kind : {"deformable", "affine", "rigid"}) {
    RunningScene block(pushed_block(kind, 1e-3));
    block.steps(4);  // up to 0.8 of what friction holds
    const VecX x = block.state().x;
    StepReport report;
    for (int step = 5; step <= 7; ++step) {
      report = block.simulation().step();
      if (!report.is_advanced()) break;
    }
    // At 1.2 of it nothing holds the block.
    EXPECT_EQ(to_string(report.status), "no_equilibrium") << kind << " " << report.limited_by;
    EXPECT_NE(report.limited_by.find("'block'"), std::string::npos) << report.limited_by;
    EXPECT_LT((block.state().x - x).cwiseAbs().maxCoeff(), 0.1) << kind;
  }
}

/// A box on a plane that is inclined by `degrees`, with friction 0.5; under its weight in the first step already.
std::string box_on_incline(const std::string& kind, double degrees, double gap) {
  const double angle = degrees / 57.29577951308232;
  return fmt::format(R"({{"gravity": [{0}, {1}, 0], "time": {{"step": 0.1, "integrator": "quasi_static"}},
    "friction": {{"coefficient": 0.5}}, "half_spaces": [{{"normal": [0, 1, 0]}}],
    "bodies": [{{"name": "box", "kind": "{2}", "generator": {{"kind": "box", "size": [0.1, 0.05, 0.1],
      "resolution": [2, 1, 2]}}, "transform": {{"translation": [0, {3}, 0]}},
      "material": {{"density": 1000, "youngs_modulus": 1e6}}}}]}})",
                     10.0 * std::sin(angle), -10.0 * std::cos(angle), kind, 0.025 + gap);
}

TEST(QuasiStatic, FrictionHoldsABodyFromTheFirstStepOn) {
  for (const char* kind : {"deformable", "affine", "rigid"}) {
    for (const double degrees : {5.0, 20.0, 26.0}) {
      RunningScene box(box_on_incline(kind, degrees, 1e-5));
      const VecX x = box.state().x;
      const StepReport report = box.simulation().step();
      EXPECT_EQ(to_string(report.status), "converged") << kind << " " << degrees << " " << report.limited_by;
      EXPECT_LT((box.state().x - x).cwiseAbs().maxCoeff(), 1e-3) << kind << " " << degrees;
      EXPECT_EQ(box.state().step, 1);
      EXPECT_EQ(box.state().time, 0.1);
    }
    // Beyond the limit of 26.57 degrees nothing holds it.
    RunningScene box(box_on_incline(kind, 28.0, 1e-5));
    EXPECT_FALSE(box.simulation().step().is_advanced()) << kind;
    EXPECT_EQ(box.state().step, 0);
  }
}

TEST(QuasiStatic, RigidBodiesRestOnAFloorWithoutFriction) {
  // Nothing resists a motion along the floor: the matrix of the equilibrium is singular.
  for (const char* kind : {"affine", "rigid"}) {
    RunningScene box(box_on_incline(kind, 0.0, 1e-5), {"friction.coefficient=0"});
    const VecX x = box.state().x;
    const StepReport report = box.simulation().step();
    EXPECT_EQ(to_string(report.status), "converged") << kind << " " << report.limited_by;
    EXPECT_LT((box.state().x - x).cwiseAbs().maxCoeff(), 1e-4) << kind;
  }
}

}  // namespace
}  // namespace clearance
