// Stresses and resultants of shells and rods in frames, against closed forms.
#include <cmath>
#include <numbers>

#include "simulation/probed_scene.h"

namespace clearance {
namespace {

constexpr const char* fields = R"("output": {"fields": ["von_mises", "principal_stress", "strain", "energy_density",
  "resultants"]})";

/// Returns a strip of 1 m by 0.2 m along x, 20 x 4 cells, clamped at x = -1/2, with a force [N] at its other end.
std::string strip(const std::string& force) {
  return fmt::format(
      R"({{"gravity": [0, 0, 0], "time": {{"step": 1, "integrator": "quasi_static"}}, "contact": {{"enabled": false}},
        "solver": {{"force_tolerance": 1e-9}}, {},
        "bodies": [{{"name": "strip", "kind": "shell", "thickness": 0.01,
          "generator": {{"kind": "sheet", "size": [1, 0.2], "resolution": [20, 4]}},
          "material": {{"youngs_modulus": 1e8, "poisson_ratio": 0}},
          "motions": [{{"region": {{"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}, "clamp": true}}],
          "loads": [{{"kind": "force", "region": {{"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}},
            "value": {}}}]}}]}})",
      fields, force);
}

/// Returns the middle of a triangle of the start.
double middle_x(const ProbedScene& scene, const Frame& frame, std::size_t cell) {
  double sum = 0.0;
  for (const int v : frame.mesh.triangles[cell]) sum += scene.rest(v)[0] / 3.0;
  return sum;
}

TEST(ThinFields, APulledStripHasTheForceOverItsSection) {
  ProbedScene scene(strip("[200, 0, 0]"));
  scene.step();
  const Frame frame = scene.simulation().frame();
  const std::vector<double> von_mises = ProbedScene::values_of(frame.cell_arrays, "von_mises");
  const std::vector<double> strain = ProbedScene::values_of(frame.cell_arrays, "strain");
  const std::vector<double> resultants = ProbedScene::values_of(frame.cell_arrays, "resultants");
  const double stress = 200.0 / (0.2 * 0.01);
  for (std::size_t t = 0; t < von_mises.size(); ++t) {
    if (std::abs(middle_x(scene, frame, t)) > 0.3) continue;
    EXPECT_NEAR(von_mises[t], stress, 0.01 * stress);
    EXPECT_NEAR(strain[3 * t], stress / 1e8, 0.01 * stress / 1e8);
    EXPECT_NEAR(resultants[3 * t], 1000.0, 10.0);
    EXPECT_NEAR(resultants[3 * t + 1], 0.0, 1e-9);
  }
}

TEST(ThinFields, ABentStripHasTheMomentOfItsForce) {
  const double force = 1e-3;
  ProbedScene scene(strip("[0, -1e-3, 0]"));
  scene.step();
  const Frame frame = scene.simulation().frame();
  const std::vector<double> von_mises = ProbedScene::values_of(frame.cell_arrays, "von_mises");
  const std::vector<double> stress = ProbedScene::values_of(frame.cell_arrays, "principal_stress");
  const std::vector<double> energy = ProbedScene::values_of(frame.cell_arrays, "energy_density");
  const std::vector<double> resultants = ProbedScene::values_of(frame.cell_arrays, "resultants");
  double sum = 0.0;
  for (std::size_t t = 0; t < von_mises.size(); ++t) {
    const double moment = force / 0.2 * (0.5 - middle_x(scene, frame, t));
    sum += energy[t] * 0.01 * 0.2 / static_cast<double>(von_mises.size());
    if (std::abs(middle_x(scene, frame, t)) > 0.35) continue;
    EXPECT_NEAR(std::abs(resultants[3 * t + 1]), moment, 0.05 * moment);
    EXPECT_NEAR(von_mises[t], 6.0 * moment / 1e-4, 0.06 * 6.0 * moment / 1e-4);
    EXPECT_NEAR(stress[3 * t], von_mises[t], 0.05 * von_mises[t]);
  }
  // F^2 L^3 / 6 EI
  const double exact = force * force / (6.0 * 1e8 * 0.2 * 1e-6 / 12.0);
  EXPECT_NEAR(sum, exact, 0.02 * exact);
}

TEST(ThinFields, ARodHasTensionMomentAndTorque) {
  const double angle = 0.1;
  ProbedScene scene(fmt::format(
      R"({{"gravity": [0, 0, 0], "time": {{"step": 1, "integrator": "quasi_static"}}, "contact": {{"enabled": false}},
        "solver": {{"force_tolerance": 1e-9}}, "output": {{"fields": ["resultants"]}},
        "bodies": [
          {{"name": "pulled", "kind": "rod", "thickness": 0.01,
            "generator": {{"kind": "line", "size": [1], "resolution": [20]}},
            "material": {{"youngs_modulus": 1e8, "poisson_ratio": 0.25}},
            "motions": [{{"region": {{"nodes": [0, 1]}}, "clamp": true}},
                        {{"region": {{"nodes": [19, 20]}}, "clamp": true, "angular_velocity": [{}, 0, 0],
                          "linear_velocity": [0.001, 0, 0]}}]}},
          {{"name": "bent", "kind": "rod", "thickness": 0.01, "transform": {{"translation": [0, 1, 0]}},
            "generator": {{"kind": "line", "size": [1], "resolution": [20]}},
            "material": {{"youngs_modulus": 1e8, "poisson_ratio": 0.25}},
            "motions": [{{"region": {{"nodes": [0, 1]}}, "clamp": true}}],
            "loads": [{{"kind": "force", "region": {{"nodes": [20]}}, "value": [0, 0, 1e-4]}}]}}]}})",
      angle * 180.0 / std::numbers::pi));
  scene.step();
  const std::vector<double> resultants = ProbedScene::values_of(scene.simulation().frame().cell_arrays, "resultants");
  const double area = std::numbers::pi * 2.5e-5, polar = std::numbers::pi * std::pow(0.005, 4) / 2.0;
  // 18 segments are free, and the angle is between the middles of the clamped ones.
  const double tension = 1e8 * area * 0.001 / 0.9, torque = 1e8 / 2.5 * polar * angle / 0.95;
  for (std::size_t s = 2; s < 18; ++s) {
    EXPECT_NEAR(resultants[3 * s], tension, 1e-6 * tension);
    EXPECT_NEAR(resultants[3 * s + 2], torque, 1e-3 * torque);
    const double moment = 1e-4 * (1.0 - (static_cast<double>(s) + 0.5) / 20.0);
    EXPECT_NEAR(resultants[3 * (20 + s) + 1], moment, 0.01 * moment);
  }
}

}  // namespace
}  // namespace clearance
