// The convergent formulation in scenes: pressures that do not depend on the mesh, stiff bodies, friction.
#include <cmath>

#include "clearance/base/parallel.h"
#include "simulation/probed_scene.h"

namespace clearance {
namespace {

/// A block on the half-space y >= 0, pressed from above by a thousandth of Young's modulus.
std::string pressed_block(int dim, int cells, const std::string& contact) {
  const std::string n = std::to_string(cells);
  const std::string shape = dim == 2 ? R"("rectangle", "size": [1, 0.5], "resolution": [)" + n + ", 2]"
                                     : R"("box", "size": [1, 0.5, 1], "resolution": [)" + n + ", 2, " + n + "]";
  return R"({"dimension": )" + std::to_string(dim) + R"(, "gravity": [0, 0, 0],
    "time": {"step": 1, "integrator": "quasi_static"}, "solver": {"force_tolerance": 1e-7},
    "contact": {"dhat": 0.01, "dhat_is_absolute": true, )" +
         contact + R"(},
    "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],
    "bodies": [{"generator": {"kind": )" +
         shape + R"(}, "transform": {"translation": [0, 0.259, 0]},
      "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.0},
      "motions": [{"region": {"nodes": [0]}, "components": [true, false, true]}],
      "loads": [{"kind": "traction", "value": [0, -1000, 0], "region": {"frame": "body", "box": [[0, 1, 0], [1, 1, 1]]}}]}]})";
}

/// The law of a physical barrier: pressure over kappa at the gap x dhat.
double pressure_at(double x) {
  const double y = x * x - 1.0;
  return x < 1.0 ? 2 * x * (2 * y * std::log(x * x) + y * y / (x * x)) : 0.0;
}

TEST(ConvergentContactScene, PressureIsThatOfTheLawAtEveryGap) {
  // 0.01 of kappa = 0.1 E at a gap of 0.9794469.
  EXPECT_NEAR(pressure_at(0.9794469), 0.01, 1e-8);
  for (const int dim : {2, 3}) {
    for (const std::string kappa : {"", R"(, "kappa": 1e4)"}) {
      RunningScene block(pressed_block(dim, 4, R"("formulation": "convergent")" + kappa));
      block.steps(2);
      const ContactMeasures& measures = block.model().contact_measures;
      const VecX x = block.model().surface_map.apply(block.state().x);
      double force = 0.0, total = 0.0;
      for (int v = 0; v < block.model().surface.num_vertices; ++v) {
        const double y = x[dim * v + 1], measure = measures.vertex[static_cast<std::size_t>(v)];
        force += (kappa.empty() ? 1e5 : 1e4) * measure * pressure_at(y / 0.01);
        total += measure;
      }
      EXPECT_NEAR(force, 1000.0, 1e-3) << dim;
      EXPECT_NEAR(total, dim == 2 ? 3.0 : 4.0, 1e-12);  // all of its surface at rest
    }
  }
}

/// The scene of another program kept the stiffness that it had for another barrier, and crawled.
TEST(ConvergentContactScene, KappaOfAnotherUnitIsWarnedOf) {
  const auto warnings = [](const std::string& kappa) {
    const auto loaded =
        load_scene_text(pressed_block(2, 2, R"("formulation": "convergent", "kappa": )" + kappa), "scene", ".");
    return loaded ? loaded->warnings.size() : 99U;
  };
  EXPECT_EQ(warnings("1e-4"), 1U);
  EXPECT_EQ(warnings("1e4"), 0U);
}

/// A heap of all kinds of bodies on a meshed floor.
std::string heap(const std::string& formulation) {
  return R"({"time": {"step": 0.01}, "friction": {"coefficient": 0.4}, "contact": {"formulation": ")" + formulation +
         R"("},
    "bodies": [{"name": "floor", "kind": "obstacle", "generator": {"kind": "box", "size": [3, 0.2, 3], "resolution": [4, 1, 4]},
      "transform": {"translation": [0, -0.11, 0]}},
    {"name": "soft", "generator": {"kind": "box", "size": [0.5, 0.3, 0.5], "resolution": [3, 2, 3]},
      "transform": {"translation": [0, 0.2, 0]}, "material": {"youngs_modulus": 1e5}},
    {"name": "rigid", "kind": "rigid", "generator": {"kind": "box", "size": [0.4, 0.2, 0.4], "resolution": [2, 1, 2]},
      "transform": {"translation": [0.05, 0.5, 0.02], "rotation": [0, 20, 0]}},
    {"name": "affine", "kind": "affine", "generator": {"kind": "sphere", "size": [0.15], "resolution": [3]},
      "transform": {"translation": [0.02, 0.8, 0]}}],
    "output": {"probes": [{"name": "carried", "kind": "contact", "bodies": ["soft", "floor"]}]}})";
}

TEST(ConvergentContactScene, HeapOfAllKindsOfBodiesIsCarried) {
  ProbedScene scene(heap("convergent"));
  double mass = 0.0;
  for (const StiffUnit& unit : scene.scene().stiff_units) mass += unit.frame.mass;
  mass += 0.5 * 0.3 * 0.5 * 1000;
  Vec<3> mean = Vec<3>::Zero();
  for (int n = 0; n < 150; ++n) {
    scene.step();
    if (n >= 100) mean += scene.probe_vector("carried.normal", "N") / 50;
  }
  EXPECT_NEAR(mean[1], mass * 9.80665, 0.02 * mass * 9.80665);
}

TEST(ConvergentContactScene, SameBitsForAnyNumberOfThreads) {
  std::vector<VecX> ends;
  for (const int threads : {1, 4}) {
    const ThreadLimit limit(threads);
    RunningScene scene(heap("convergent"));
    scene.steps(40);
    ends.push_back(scene.state().x);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

}  // namespace
}  // namespace clearance
