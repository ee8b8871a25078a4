// Gaps of contact in quasi-static steps, narrowed until they no longer falsify contact forces.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// A rubber strip between smooth plates, squeezed by a tenth. `contact` holds further keys.
std::string gasket(const std::string& contact = "", double step = 0.25) {
  return fmt::format(R"({{"dimension": 2, "gravity": [0, 0], "contact": {{{}}},
    "time": {{"step": {}, "duration": 1, "integrator": "quasi_static"}},
    "bodies": [{{"name": "gasket", "generator": {{"kind": "rectangle", "size": [0.02, 0.002], "resolution": [20, 2]}},
      "material": {{"density": 1000, "youngs_modulus": 3e6, "poisson_ratio": 0.49}}}},
      {{"name": "top", "kind": "obstacle",
       "generator": {{"kind": "rectangle", "size": [0.03, 0.002], "resolution": [1]}},
       "transform": {{"translation": [0, 0.00202, 0]}}, "motions": [{{"displacement": ["0", "-0.00024 * t", "0"]}}]}}],
    "half_spaces": [{{"point": [0, -0.00102, 0]}}]}})",
                     contact, step);
}

/// Neo-Hookean strip under plane strain, a tenth shorter, free to widen: 0.02 m times P = G (l - 1/l) + lambda ln J / l
/// with P = 0 across.
constexpr double squeezing_force = 9247.5;

double force_on_floor(RunningScene& scene) {
  double sum = 0.0;
  for (const ContactPair& pair : scene.simulation().contacts()) {
    if (pair.bodies[1] == -1) sum += std::abs(pair.force[1]);
  }
  return sum;
}

TEST(GapPath, ForceOfAThinLayerIsRightInAllFormulations) {
  for (const char* formulation : {"ipc", "convergent", "gcp"}) {
    RunningScene scene(gasket(fmt::format(R"("formulation": "{}")", formulation)));
    const StepReport report = scene.steps(4);
    EXPECT_EQ(report.status, StepStatus::converged) << formulation;
    ASSERT_TRUE(report.gap_share.has_value()) << formulation;
    EXPECT_LE(report.gap_share->share, 0.01) << formulation;
    EXPECT_NEAR(force_on_floor(scene), squeezing_force, 0.01 * squeezing_force) << formulation;
  }
}

TEST(GapPath, ShareForetellsWhatNarrowingChanges) {
  RunningScene wide(gasket(R"("gap_tolerance": 0.9)", 1.0)), narrow(gasket("", 1.0));
  const StepReport report = wide.steps(1);
  narrow.steps(1);
  ASSERT_TRUE(report.gap_share.has_value());
  const double share = force_on_floor(wide) / force_on_floor(narrow) - 1.0;
  EXPECT_GT(share, 0.1);
  EXPECT_NEAR(report.gap_share->share, share, 0.25 * share);
}

TEST(GapPath, ToleranceOfZeroKeepsTheDistances) {
  RunningScene scene(gasket(R"("gap_tolerance": 0)"));
  const StepReport report = scene.steps(4);
  EXPECT_FALSE(report.gap_share.has_value());
  EXPECT_EQ(scene.state().narrowing, 1.0);
  EXPECT_GT(force_on_floor(scene), 1.15 * squeezing_force);
}

TEST(GapPath, NarrowsForForcesWithFriction) {
  const std::vector<std::string> rough = {"friction.coefficient=0.2"};
  RunningScene narrowed(gasket(), rough);
  const StepReport report = narrowed.steps(4);
  ASSERT_TRUE(report.gap_share.has_value());
  EXPECT_LE(report.gap_share->share, 0.01);
  // The same with distances that are small from the start.
  RunningScene small(gasket(R"("dhat": 1e-5, "gap_tolerance": 0)"), rough);
  small.steps(4);
  EXPECT_NEAR(force_on_floor(narrowed), force_on_floor(small), 0.02 * force_on_floor(small));
}

TEST(GapPath, ContinuesFromASavedStateWithTheSameBits) {
  RunningScene whole(gasket()), first(gasket()), second(gasket());
  whole.steps(4);
  first.steps(2);
  EXPECT_LT(first.state().narrowing, 0.1);
  ASSERT_TRUE(second.simulation().restore(first.state()));
  second.steps(2);
  EXPECT_EQ(second.state().x, whole.state().x);
  EXPECT_EQ(second.state().narrowing, whole.state().narrowing);
}

/// A block of 0.1 m on the floor under its weight. Each of its columns of nodes is free to move up and down alone.
std::string resting_block(double youngs_modulus, const std::string& contact = "") {
  return fmt::format(R"({{"dimension": 2, "gravity": [0, -10], "contact": {{{}}},
    "time": {{"step": 1, "duration": 1, "integrator": "quasi_static"}},
    "bodies": [{{"name": "block", "generator": {{"kind": "rectangle", "size": [0.1, 0.1], "resolution": [2, 2]}},
      "transform": {{"translation": [0, 0.0501, 0]}},
      "material": {{"density": 1000, "youngs_modulus": {}, "poisson_ratio": 0}},
      "motions": [{{"components": [true, false, false]}}]}}],
    "half_spaces": [{{"point": [0, 0, 0]}}]}})",
                     contact, youngs_modulus);
}

/// How far [m] the top of the block goes down.
double sinking(RunningScene& scene) {
  double top = 0.0, start = 0.0;
  for (int node = 0; node < scene.num_nodes(); ++node) {
    if (scene.rest(node)[1] < start) continue;
    start = scene.rest(node)[1];
    top = scene.x(node)[1];
  }
  return start - top;
}

// The force of a given load is the same for any gap, but the body that it presses comes less near.
TEST(GapPath, DeflectionUnderAGivenLoadIsRight) {
  RunningScene narrowed(resting_block(1e6)), wide(resting_block(1e6, R"("gap_tolerance": 0)"));
  const StepReport report = narrowed.steps(1);
  wide.steps(1);
  ASSERT_TRUE(report.gap_share.has_value());
  EXPECT_LE(report.gap_share->share, 0.01);
  // 0.1 mm to the floor, and rho g l^2 / 2 E
  const double deflection = 1000.0 * 10.0 * 0.1 * 0.1 / (2.0 * 1e6);
  EXPECT_NEAR(sinking(narrowed) - 1e-4, deflection, 0.02 * deflection);
  EXPECT_LT(sinking(wide) - 1e-4, 0.5 * deflection);
}

TEST(GapPath, LeavesBodiesAloneThatGiveWayByNothing) {
  RunningScene scene(resting_block(1e11));
  const StepReport report = scene.steps(1);
  ASSERT_TRUE(report.gap_share.has_value());
  EXPECT_LT(report.gap_share->share, 1e-3);
  EXPECT_EQ(scene.state().narrowing, 1.0);
}

/// Coordinates of a ring's mesh as JSON.
std::string ring(double inner, double outer, int rings, int around) {
  std::string vertices, triangles;
  for (int i = 0; i <= rings; ++i) {
    for (int j = 0; j < around; ++j) {
      const double r = inner + (outer - inner) * i / rings, angle = 2.0 * std::numbers::pi * j / around;
      vertices += fmt::format("{}[{:.17g}, {:.17g}, 0]", vertices.empty() ? "" : ", ", r * std::cos(angle),
                              r * std::sin(angle));
      if (i == rings) continue;
      const int a = i * around + j, b = i * around + (j + 1) % around;
      triangles += fmt::format("{}[{}, {}, {}], [{}, {}, {}]", triangles.empty() ? "" : ", ", a, a + around, b + around,
                               a, b + around, b);
    }
  }
  return fmt::format(R"({{"vertices": [{}], "triangles": [{}]}})", vertices, triangles);
}

/// A shaft with a hole of 20 mm and a hub of 100 mm that meet at 50 mm with 25 um of interference, with so many sides.
std::string shrink_fit(int around_hub, int around_shaft) {
  const auto body = [](const char* name, double inner, double outer, int rings, int around) {
    return fmt::format(R"({{"name": "{}", "geometry": {}, "material": {{"density": 7800, "youngs_modulus": 2.1e11,
      "poisson_ratio": 0.3}}, "motions": [
        {{"region": {{"box": [[{}, -1e-7], [{}, 1e-7]]}}, "components": [false, true, false]}},
        {{"region": {{"box": [[-1e-7, {}], [1e-7, {}]]}}, "components": [true, false, false]}}]}})",
                       name, ring(inner, outer, rings, around), inner - 1e-6, outer + 1e-6, inner - 1e-6, outer + 1e-6);
  };
  return fmt::format(R"({{"dimension": 2, "gravity": [0, 0], "start": {{"overlaps": "separate"}},
    "time": {{"step": 1, "duration": 1, "integrator": "quasi_static"}}, "bodies": [{}, {}]}})",
                     body("hub", 0.05, 0.1, 6, around_hub), body("shaft", 0.02, 0.050025, 4, around_shaft));
}

// The sides deviate from circles by 107 and 190 um, more than the interference.
TEST(GapPath, FitsOfSidesThatDoNotFaceEachOtherAreTold) {
  const auto is_told = [](int around_hub, int around_shaft) {
    RunningScene scene(shrink_fit(around_hub, around_shaft));
    const Issues& issues = scene.simulation().warnings();
    return std::any_of(issues.begin(), issues.end(), [](const Issue& issue) {
      return issue.message.find("'hub' and 'shaft' overlap") != std::string::npos &&
             issue.message.find("sides") != std::string::npos;
    });
  };
  EXPECT_TRUE(is_told(48, 36));
  EXPECT_FALSE(is_told(48, 48));
}

/// Lame.
TEST(GapPath, PressureOfAShrinkFitIsThatOfLame) {
  RunningScene scene(shrink_fit(48, 48));
  ASSERT_EQ(scene.steps(1).status, StepStatus::converged);
  double force = 0.0;
  for (const ContactPair& pair : scene.simulation().contacts()) force += pair.force.norm();
  // Radial compliances per pressure of hub and shaft under plane strain.
  const double nu = 0.3, r = 0.05, a = 0.02, b = 0.1, of_all = (1.0 + nu) * r / 2.1e11;
  const double hub = of_all * (b * b / (r * r) + 1.0 - 2.0 * nu) / (b * b / (r * r) - 1.0);
  const double shaft = of_all * ((1.0 - 2.0 * nu) + a * a / (r * r)) / (1.0 - a * a / (r * r));
  const double pressure = 25e-6 / (hub + shaft);
  EXPECT_NEAR(force / (2.0 * std::numbers::pi * r), pressure, 0.03 * pressure);
}

}  // namespace
}  // namespace clearance
