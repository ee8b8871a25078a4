// Plates in plane stress against closed forms.
#include <fmt/format.h>

#include <cmath>

#include "clearance/bodies/fem/materials.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns a strip of 1 x 0.1 along x, 1 deep, whose left end slides along y and whose right end is pulled.
std::string pulled_strip(const std::string& model, double poisson_ratio, double stretch, bool plane_stress) {
  return fmt::format(R"({{"dimension": 2, "gravity": [0, 0], "solver": {{"force_tolerance": 1e-9}},
    "time": {{"step": 1, "integrator": "quasi_static"}},
    "bodies": [{{"generator": {{"kind": "rectangle", "size": [1, 0.1], "resolution": [10, 2]}},
      "material": {{"model": "{}", "youngs_modulus": 2e5, "poisson_ratio": {}, "plane_stress": {}}},
      "motions": [{{"region": {{"box": [[0, 0], [0, 1]], "frame": "body"}}, "components": [true, false, true]}},
                  {{"region": {{"box": [[0, 0], [0, 0]], "frame": "body"}}, "components": [false, true, true]}},
                  {{"region": {{"box": [[1, 0], [1, 1]], "frame": "body"}}, "linear_velocity": [{}, 0, 0],
                    "components": [true, false, true]}}]}}]}})",
                     model, poisson_ratio, plane_stress, stretch - 1.0);
}

/// Returns energy over volume, and the stretch across in the plane.
std::pair<double, double> pull(const std::string& scene) {
  RunningScene strip(scene);
  const double energy = energy_term(strip.step(), "elastic") / 0.1;
  double low = infinity, high = -infinity;
  for (int i = 0; i < strip.num_nodes(); ++i) {
    low = std::min(low, strip.x(i)[1]);
    high = std::max(high, strip.x(i)[1]);
  }
  return {energy, (high - low) / 0.1};
}

TEST(PlaneStressStrip, HasHookesLawOfABarAtSmallStrains) {
  for (const char* model : {"neo_hookean", "fixed_corotational", "st_venant_kirchhoff", "linear_elasticity"}) {
    SCOPED_TRACE(model);
    const double strain = 1e-5, nu = 0.3;
    const auto [energy, across] = pull(pulled_strip(model, nu, 1.0 + strain, true));
    EXPECT_NEAR(energy, 0.5 * 2e5 * strain * strain, 1e-4 * energy);
    EXPECT_NEAR(across - 1.0, -nu * strain, 1e-4 * strain);
    // Plane strain holds the strip across the plane: E / (1 - nu^2), and nu / (1 - nu) in the plane.
    const auto [held, held_across] = pull(pulled_strip(model, nu, 1.0 + strain, false));
    EXPECT_NEAR(held, 0.5 * 2e5 / (1.0 - nu * nu) * strain * strain, 1e-4 * held);
    EXPECT_NEAR(held_across - 1.0, -nu / (1.0 - nu) * strain, 1e-4 * strain);
  }
}

TEST(PlaneStressStrip, PartsFollowTheBody) {
  // Parts without the key were in plane strain, without a word.
  const std::string whole = pulled_strip("neo_hookean", 0.3, 1.01, true);
  std::string in_parts = whole;
  in_parts.replace(in_parts.find("\"motions\""), 0, R"("material_parts": [{"region": {},
      "material": {"youngs_modulus": 2e5, "poisson_ratio": 0.3}}], )");
  EXPECT_EQ(pull(in_parts), pull(whole));
}

TEST(PlaneStressStrip, PulledByMuchIsTheSameAsABarInSpace) {
  // A neo-Hookean bar: both stretches t across solve mu (t^2 - 1) + lambda ln(s t^2) = 0.
  for (const double s : {1.2, 1.5, 2.5}) {
    const MaterialParameters m = make_material(ElasticModel::neo_hookean, 2e5, 0.45);
    double low = 0.1, high = 3.0;
    for (int i = 0; i < 200; ++i) {
      const double t = 0.5 * (low + high);
      (m.mu * (t * t - 1.0) + m.lambda * std::log(s * t * t) < 0.0 ? low : high) = t;
    }
    const double t = 0.5 * (low + high), log_j = std::log(s * t * t);
    const double expected = 0.5 * m.mu * (s * s + 2.0 * t * t - 3.0) - m.mu * log_j + 0.5 * m.lambda * log_j * log_j;
    const auto [energy, across] = pull(pulled_strip("neo_hookean", 0.45, s, true));
    EXPECT_NEAR(energy, expected, 1e-8 * expected) << s;
    EXPECT_NEAR(across, t, 1e-6) << s;
  }
}

TEST(PlaneStressCantilever, BendsByTimoshenkosFormula) {
  // A force F at the tip of a strip of length L, height h and depth 1: F L^3 / (3 E I) + 6 F L / (5 G h), I = h^3 / 12.
  const double length = 1.0, height = 0.1, modulus = 2e9, nu = 0.3, force = 100.0;
  RunningScene cantilever(
      fmt::format(R"({{"dimension": 2, "gravity": [0, 0], "time": {{"step": 1, "integrator": "quasi_static"}},
    "bodies": [{{"generator": {{"kind": "rectangle", "size": [{}, {}], "resolution": [20, 2]}}, "order": 2,
      "material": {{"youngs_modulus": {}, "poisson_ratio": {}, "plane_stress": true}},
      "motions": [{{"region": {{"box": [[0, 0], [0, 1]], "frame": "body"}}}}],
      "loads": [{{"kind": "force", "value": [0, {}], "region": {{"box": [[1, 0], [1, 1]], "frame": "body"}}}}]}}]}})",
                  length, height, modulus, nu, -force));
  cantilever.step();
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < cantilever.num_nodes(); ++i) {
    if (cantilever.rest(i)[0] < length / 2 - 1e-9) continue;
    sum += cantilever.x(i)[1] - cantilever.rest(i)[1];
    ++count;
  }
  const double inertia = height * height * height / 12.0, shear = modulus / (2.0 * (1.0 + nu));
  const double expected =
      force * length * length * length / (3.0 * modulus * inertia) + 6.0 * force * length / (5.0 * shear * height);
  EXPECT_NEAR(-sum / count, expected, 0.005 * expected);
}

}  // namespace
}  // namespace clearance
