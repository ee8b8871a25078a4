// Nodes that are prescribed in some directions only.
#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns a bar along x of length 1 and a section of 0.1 x 0.1 between slides: three of its sides keep to their
/// planes, the right end is pulled by `strain` in one step.
std::string sliding_bar(double strain, const std::string& time) {
  const auto held = [](const std::string& box, const std::string& components) {
    return R"({"region": {"frame": "body", "box": )" + box + R"(}, "components": )" + components;
  };
  return R"({"gravity": [0, 0, 0], "time": {)" + time + R"(}, "solver": {"force_tolerance": 1e-9},
    "bodies": [{"generator": {"kind": "box", "size": [1, 0.1, 0.1], "resolution": [6, 2, 2]},
      "material": {"model": "linear_elasticity", "youngs_modulus": 2e5, "poisson_ratio": 0.3},
      "motions": [)" +
         held("[[0, 0, 0], [0, 1, 1]]", "[true, false, false]") + "}," +
         held("[[0, 0, 0], [1, 0, 1]]", "[false, true, false]") + "}," +
         held("[[0, 0, 0], [1, 1, 0]]", "[false, false, true]") + "}," +
         held("[[1, 0, 0], [1, 1, 1]]", "[true, false, false]") + R"(, "linear_velocity": [)" + std::to_string(strain) +
         ", 5, 7]}]}]}";
}

TEST(PrescribedComponents, BarBetweenSlidesIsStretchedUniformly) {
  RunningScene bar(sliding_bar(1e-3, R"("step": 1, "integrator": "quasi_static")"));
  const StepReport report = bar.step();
  EXPECT_NEAR(energy_term(report, "elastic"), 0.5 * 2e5 * 0.01 * 1e-6, 1e-9 * 2e5 * 0.01 * 1e-6);
  for (int i = 0; i < bar.num_nodes(); ++i) {
    const Vec<3> from_corner = bar.rest(i) + Vec<3>(0.5, 0.05, 0.05);
    const Vec<3> expected = 1e-3 * Vec<3>(from_corner[0], -0.3 * from_corner[1], -0.3 * from_corner[2]);
    EXPECT_LT((bar.x(i) - bar.rest(i) - expected).norm(), 1e-10);
  }
}

TEST(PrescribedComponents, FreeDirectionsFallAsIfNothingWereHeld) {
  // A slide along y takes no weight: the block falls by g h^2 (1 + 2 + ... + n).
  RunningScene block(
      R"({"gravity": [0, -10, 3], "time": {"step": 0.01, "integrator": "implicit_euler"}, "solver": {"force_tolerance": 1e-10}, "bodies": [
    {"generator": {"kind": "box", "resolution": [1, 1, 1]},
     "motions": [{"components": [true, false, true]}]}]})");
  block.steps(5);
  for (int i = 0; i < block.num_nodes(); ++i) {
    EXPECT_LT((block.x(i) - block.rest(i) - Vec<3>(0, -10 * 1e-4 * 15, 0)).norm(), 1e-12);
  }
}

TEST(PrescribedComponents, EnergyOfASlideIsAccountedFor) {
  // The motion of the held component does all of the work.
  RunningScene bar(sliding_bar(0.05, R"("step": 0.1)"));
  for (int n = 0; n < 3; ++n) {
    const StepReport report = bar.step();
    const EnergyAccount& account = report.account;
    EXPECT_GT(account.motions, 0.0);
    EXPECT_LT(std::abs(account.residual), 1e-6 * account.motions);
  }
}

TEST(PrescribedComponents, ReachTheirTargetsAroundAnObstacleInTheWay) {
  // The ball is dragged along x only, over a step that lifts it: y is free.
  RunningScene scene(R"({"dimension": 2, "gravity": [0, -10], "time": {"step": 0.02}, "bodies": [
    {"name": "ball", "generator": {"kind": "disk", "size": [0.1], "resolution": [3]},
     "transform": {"translation": [0, 0.102]}, "material": {"youngs_modulus": 1e5},
     "motions": [{"components": [true, false, true], "linear_velocity": [0.5, 0, 0]}]},
    {"kind": "obstacle", "generator": {"kind": "rectangle", "size": [4, 0.2], "resolution": [1, 1]},
     "transform": {"translation": [0, -0.1]}},
    {"kind": "obstacle", "generator": {"kind": "rectangle", "size": [0.5, 0.5], "resolution": [1, 1]},
     "transform": {"translation": [0.5, -0.2], "rotation": 45}}]})");
  for (int n = 1; n <= 45; ++n) {
    scene.step();
    for (int i = 0; i < scene.num_nodes(); ++i) {
      if (!(scene.mass(i) > 0.0)) continue;
      EXPECT_NEAR(scene.x(i)[0], scene.rest(i)[0] + 0.01 * n, 1e-6);
    }
  }
  EXPECT_GT(scene.center_of_mass()[1], 0.2) << "it was to be lifted";
}

}  // namespace
}  // namespace clearance
