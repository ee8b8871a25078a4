// Growth of displacements with the loads of a body.
#include "clearance/simulation/stiffness/softening.h"

#include <fmt/format.h>

#include <numbers>

#include "clearance/simulation/build/motion_targets.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

constexpr double length = 1.0, thickness = 0.05, youngs_modulus = 1e7;
/// Euler's load [N/m] of a column in the plane that is clamped at one end.
const double critical_load =
    std::numbers::pi * std::numbers::pi * youngs_modulus * thickness * thickness * thickness / 12.0 / 4.0;

/// A column under a share of its critical load, and enough across that bending has most of its energy. `beside` are
/// further bodies, before it.
double softening_of_column(double share, const std::string& beside = "") {
  RunningScene scene(fmt::format(R"({{"dimension": 2, "gravity": [0, 0],
    "time": {{"step": 1, "duration": 1, "integrator": "quasi_static"}},
    "bodies": [{}{{"generator": {{"kind": "rectangle", "size": [{}, {}], "resolution": [40, 2]}}, "order": 2,
      "material": {{"density": 1000, "youngs_modulus": {}, "poisson_ratio": 0}},
      "motions": [{{"region": {{"box": [[-1, -1], [{}, 1]]}}}}],
      "loads": [{{"kind": "force", "value": [{}, {}, 0], "region": {{"box": [[{}, -1], [1, 1]]}}}}]}}]}})",
                                 beside, length, thickness, youngs_modulus, -0.5 * length + 1e-6,
                                 -share * critical_load, 0.02 * critical_load, 0.5 * length - 1e-6));
  scene.step();
  State state = scene.state();
  const Result<PrescribedTargets> targets = find_targets(scene.scene(), state);
  const auto response = StateResponse<2>::find(scene.scene(), scene.state(), *targets, StiffnessTerms::all);
  if (!response) throw std::runtime_error("the column is not stable");
  return find_softening<2>(scene.model(), *response, scene.state().x).back();
}

TEST(Softening, IsOneWithoutALoadAlongTheColumn) {
  EXPECT_NEAR(softening_of_column(0.0), 1.0, 1e-3);
}

TEST(Softening, OfAColumnIsThatOfItsDeflection) {
  for (const double share : {0.3, 0.6}) {
    EXPECT_NEAR(softening_of_column(share), 1.0 / (1.0 - share), 0.1 / (1.0 - share)) << share;
  }
}

TEST(Softening, CountsUnknownsOfRigidBodiesAsTheyAre) {
  // A rigid body has fewer unknowns than blocks.
  const std::string block = R"({"name": "block", "kind": "rigid", "transform": {"translation": [0, 2, 0]},
    "generator": {"kind": "rectangle", "size": [0.1, 0.1], "resolution": [1]},
    "motions": [{"components": [true, true, true]}]}, )";
  EXPECT_NEAR(softening_of_column(0.6, block), softening_of_column(0.6), 1e-9);
}

}  // namespace
}  // namespace clearance
