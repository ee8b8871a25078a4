// Steps without inertia leave balances that are not stable, and no others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "clearance/base/parallel.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

using std::numbers::pi;
constexpr int num_cells = 40;
constexpr double youngs_modulus = 1e9;

/// A straight column along x that is clamped at its low end and pressed at the other one.
struct Column {
  std::string name;
  std::string body;  // entries of the body before its motions
  std::string held, pressed;
  double length;         // [m] from the clamp
  double second_moment;  // [m^4]; in the plane [m^3]
};

const std::string rod = fmt::format(
    R"("kind": "rod", "thickness": 0.01, "generator": {{"kind": "line", "size": [1], "resolution": [{}]}})", num_cells);
const std::string low_end = R"("region": {"frame": "body", "box": [[-1, -1, -1], [1e-6, 2, 2]]})";
const std::string high_end = R"("region": {"frame": "body", "box": [[0.999999, -1, -1], [2, 2, 2]]})";

/// A rod's clamp ends in the middle of its first segment.
const Column column_of_rod = {"rod",
                              rod,
                              R"("region": {"nodes": [0, 1]}, "clamp": true)",
                              fmt::format(R"("region": {{"nodes": [{}]}})", num_cells),
                              1.0 - 0.5 / num_cells,
                              pi * 1e-8 / 64};
const Column column_of_shell = {"shell",
                                fmt::format(R"("kind": "shell", "thickness": 0.005,
                   "generator": {{"kind": "sheet", "size": [1, 0.1], "resolution": [{}, 2]}})",
                                            num_cells),
                                low_end + R"(, "clamp": true)",
                                high_end,
                                1.0,
                                0.1 * 0.005 * 0.005 * 0.005 / 12};
const Column column_of_solid = {
    "solid",
    fmt::format(R"("generator": {{"kind": "box", "size": [1, 0.05, 0.05], "resolution": [{}, 1, 1]}})", num_cells / 2),
    low_end,
    high_end,
    1.0,
    0.05 * 0.05 * 0.05 * 0.05 / 12};

/// Returns the column under a multiple of Euler's load, which grows from zero in `num_steps` steps.
RunningScene pressed(const Column& column, double factor, int num_steps = 1) {
  const double euler = pi * pi / 4 * youngs_modulus * column.second_moment / (column.length * column.length);
  return RunningScene(fmt::format(
      R"({{"gravity": [0, 0, 0], "time": {{"step": {}, "duration": 1, "integrator": "quasi_static"}},
          "contact": {{"enabled": false}},
          "bodies": [{{"name": "column", {}, "material": {{"density": 1000, "youngs_modulus": {}, "poisson_ratio": 0}},
            "motions": [{{{}}}],
            "loads": [{{"kind": "force", "expression": ["-{:.17g} * t", "0", "0"], {}}}]}}]}})",
      1.0 / num_steps, column.body, youngs_modulus, column.held, factor * euler, column.pressed));
}

/// Returns how far the middle of the pressed end has gone aside, over the length.
double aside(const RunningScene& scene, double length) {
  Vec<3> sum = Vec<3>::Zero();
  int count = 0;
  const std::vector<int>& inner = scene.model().inner_blocks;
  for (int i = 0; i < scene.num_nodes(); ++i) {
    const bool is_node = std::find(inner.begin(), inner.end(), i) == inner.end();
    if (!is_node || scene.rest(i)[0] < 0.5 - 1e-9) continue;
    sum += scene.x(i) - scene.rest(i);
    ++count;
  }
  return sum.tail<2>().norm() / (count * length);
}

/// Returns how far the end of an inextensible column goes aside, over its length: 2 k / K(k), where K(k) is
/// pi / 2 times the root of the factor [Tim61, 2.7].
double elastica(double factor) {
  double low = 0.0, high = 1.0 - 1e-12;
  for (int i = 0; i < 100; ++i) {
    const double k = 0.5 * (low + high);
    (std::comp_ellint_1(k) < pi / 2 * std::sqrt(factor) ? low : high) = k;
  }
  return 2.0 * low / std::comp_ellint_1(low);
}

class Columns : public testing::TestWithParam<Column> {};

TEST_P(Columns, StayStraightBelowEulersLoad) {
  RunningScene scene = pressed(GetParam(), 0.98);
  const StepReport report = scene.step();
  EXPECT_FALSE(report.instability);
  EXPECT_LT(aside(scene, 1.0), 1e-9);
}

TEST_P(Columns, BendAsTheElasticaBeyondEulersLoad) {
  // Elements shorten and make the column a little softer or stiffer, which tells most next to the critical load.
  for (const double factor : {1.05, 1.1, 2.0}) {
    RunningScene scene = pressed(GetParam(), factor);
    const StepReport report = scene.step();
    ASSERT_TRUE(report.instability) << factor;
    EXPECT_TRUE(report.instability->is_left);
    EXPECT_EQ(report.instability->body, 0);
    EXPECT_NEAR(report.instability->quotient, 1.0 - factor, 0.03 * factor);
    EXPECT_NEAR(aside(scene, GetParam().length) / elastica(factor), 1.0, 0.02) << factor;
  }
}

TEST_P(Columns, BuckleInTheStepThatPassesEulersLoad) {
  RunningScene scene = pressed(GetParam(), 1.25, 5);
  for (int step = 1; step <= 5; ++step) {
    const StepReport report = scene.step();
    // The fourth step ends at Euler's load itself.
    EXPECT_FALSE(step < 4 && report.instability) << step;
    EXPECT_FALSE(report.instability && !report.instability->is_left) << step;
  }
  EXPECT_NEAR(aside(scene, GetParam().length) / elastica(1.25), 1.0, 0.02);
}

INSTANTIATE_TEST_SUITE_P(UnstableBalance, Columns, testing::Values(column_of_rod, column_of_shell, column_of_solid),
                         [](const auto& column) { return column.param.name; });

/// A side force leaves no balance to be unstable, but loads soften the column alike: with projected Hessians wherever
/// the exact one is indefinite, single steps took up to 9000 directions.
TEST(UnstableBalance, ASlenderColumnThatIsPushedAsideBendsInFewDirections) {
  const double side = 1.0 / 36, euler = pi * pi / 4 * youngs_modulus * std::pow(side, 4) / 12;
  RunningScene scene(fmt::format(
      R"({{"gravity": [0, 0, 0], "time": {{"step": 0.025, "duration": 1, "integrator": "quasi_static"}},
          "contact": {{"enabled": false}},
          "bodies": [{{"name": "column", "order": 2,
            "generator": {{"kind": "box", "size": [1, {0}, {0}], "resolution": [18, 1, 1]}},
            "material": {{"density": 1000, "youngs_modulus": {1}, "poisson_ratio": 0.3}}, "motions": [{{{2}}}],
            "loads": [{{"kind": "force", "value": [0, {3:.17g}, 0], {4}}},
                      {{"kind": "force", "expression": ["-{5:.17g} * t", "0", "0"], {4}}}]}}]}})",
      side, youngs_modulus, low_end, 0.002 * euler, high_end, 1.2 * euler));
  for (int step = 1; step <= 40; ++step) EXPECT_LT(scene.step().newton_iterations, 300) << step;
  // The side force adds less than a hundredth to the deflection, and the elements of 1.5 widths take some.
  EXPECT_NEAR(aside(scene, 1.0) / elastica(1.2), 1.0, 0.04);
}

TEST(UnstableBalance, AColumnBucklesUnderItsWeightBeyondGreenhillsHeight) {
  // q L^3 / EI = 7.8373 (Greenhill 1881).
  const double weight = 7.8373 * youngs_modulus * column_of_rod.second_moment / std::pow(column_of_rod.length, 3) /
                        (1000 * pi / 4 * 1e-4);
  for (const double factor : {0.97, 1.03}) {
    RunningScene scene(fmt::format(
        R"({{"gravity": [-{}, 0, 0], "time": {{"step": 1, "integrator": "quasi_static"}},
            "bodies": [{{{}, "material": {{"density": 1000, "youngs_modulus": {}}}, "motions": [{{{}}}]}}]}})",
        factor * weight, rod, youngs_modulus, column_of_rod.held));
    const StepReport report = scene.step();
    EXPECT_EQ(report.instability.has_value(), factor > 1.0) << factor;
    EXPECT_NEAR(aside(scene, 1.0), factor > 1.0 ? 0.4 : 0.0, factor > 1.0 ? 0.2 : 1e-9);
  }
}

TEST(UnstableBalance, BitsAreThoseOfAnyNumberOfThreadsAndOfARestart) {
  std::vector<std::string> hashes;
  for (const int threads : {1, 2, 3}) {
    const ThreadLimit limit(threads);
    RunningScene scene = pressed(column_of_solid, 1.5, 3);
    scene.steps(3);
    hashes.push_back(scene.simulation().state_hash());
  }
  RunningScene first = pressed(column_of_solid, 1.5, 3);
  first.steps(1);
  const State saved = first.state();
  RunningScene second = pressed(column_of_solid, 1.5, 3);
  ASSERT_TRUE(second.simulation().restore(saved));
  second.steps(2);
  hashes.push_back(second.simulation().state_hash());
  for (const std::string& hash : hashes) EXPECT_EQ(hash, hashes[0]);
}

/// A rigid rod of 1 m on a hinge at its end that hangs, stands, or, without gravity, turns freely.
RunningScene pendulum(double gravity) {
  return RunningScene(fmt::format(
      R"({{"dimension": 2, "gravity": [0, {}], "time": {{"step": 1, "integrator": "quasi_static"}},
          "bodies": [{{"name": "rod", "kind": "rigid", "generator": {{"kind": "rectangle", "size": [0.02, 1]}},
            "transform": {{"translation": [0, 0.5]}}, "material": {{"density": 1000}}}}],
          "joints": [{{"kind": "hinge", "bodies": ["rod", ""], "point": [0, 0]}}]}})",
      gravity));
}

TEST(UnstableBalance, APendulumDoesNotStand) {
  RunningScene standing = pendulum(-9.81);
  const StepReport report = standing.step();
  ASSERT_TRUE(report.instability);
  EXPECT_TRUE(report.instability->is_left);
  EXPECT_NEAR(standing.x(0)[1], -0.5, 0.01);
}

TEST(UnstableBalance, MotionsWithoutResistanceAreNone) {
  EXPECT_FALSE(pendulum(9.81).step().instability);
  EXPECT_FALSE(pendulum(0.0).step().instability);
  // A rod between two hinges turns freely about itself, and soft springs alone hold a bar that is pulled or pressed.
  RunningScene hinged(fmt::format(
      R"({{"gravity": [0, -9.81, 0], "time": {{"step": 0.5, "integrator": "quasi_static"}},
          "bodies": [{{{}, "material": {{"density": 1000, "youngs_modulus": 1e9}},
            "motions": [{{"region": {{"nodes": [0]}}}}, {{"region": {{"nodes": [{}]}}}}]}}]}})",
      rod, num_cells));
  for (int step = 0; step < 2; ++step) EXPECT_FALSE(hinged.step().instability);
  for (const int pull : {1000, -1000}) {
    RunningScene bar(fmt::format(
        R"({{"dimension": 2, "gravity": [0, 0], "static": {{"hold_free": true}},
            "time": {{"step": 1, "integrator": "quasi_static"}},
            "bodies": [{{"generator": {{"kind": "rectangle", "size": [1, 0.1], "resolution": [10, 2]}},
              "material": {{"density": 1000, "youngs_modulus": 1e7}},
              "loads": [{{"kind": "force", "value": [{0}, 0, 0], "region": {{"box": [[0.499, -1], [1, 1]]}}}},
                        {{"kind": "force", "value": [{1}, 0, 0], "region": {{"box": [[-1, -1], [-0.499, 1]]}}}}]}}]}})",
        pull, -pull));
    EXPECT_FALSE(bar.step().instability) << pull;
  }
  // A soft block that rests on a smooth floor slides freely.
  RunningScene resting(
      R"({"time": {"step": 1, "integrator": "quasi_static"}, "half_spaces": [{}],
          "bodies": [{"generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]},
            "transform": {"translation": [0, 0.0501, 0]}, "material": {"density": 1000, "youngs_modulus": 1e6}}]})");
  EXPECT_FALSE(resting.step().instability);
}

/// Vertices of two blocks that are pressed onto each other lie on ridges of their distance, from which friction alone
/// keeps them. That counted as a block that was about to buckle at a strain of 0.1 %.
TEST(UnstableBalances, AreNotThoseOfVerticesThatMeet) {
  const std::string block = R"("generator": {"kind": "box", "size": [0.02, 0.01, 0.02], "resolution": [4, 2, 4]},
      "material": {"youngs_modulus": 1e9, "poisson_ratio": 0})";
  RunningScene scene(R"({"gravity": [0, 0, 0], "start": {"overlaps": "separate"}, "friction": {"coefficient": 0.3},
    "time": {"integrator": "quasi_static", "step": 0.1, "duration": 1},
    "bodies": [{"name": "low", )" +
                     block + R"(, "motions": [{"region": {"box": [[0, 0, 0], [1, 0, 1]], "frame": "body"}}]},
      {"name": "high", )" +
                     block + R"(, "transform": {"translation": [0, 0.01, 0]},
       "motions": [{"region": {"box": [[0, 1, 0], [1, 1, 1]], "frame": "body"},
                    "displacement": ["0", "-2e-4 * t", "0"]}]}]})");
  for (int step = 0; step < 10; ++step) {
    const StepReport report = scene.step();
    EXPECT_EQ(report.status, StepStatus::converged) << step;
    EXPECT_FALSE(report.instability) << step;
  }
}

}  // namespace
}  // namespace clearance
