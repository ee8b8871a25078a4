// Free bodies in statics that soft springs hold (`static.hold_free`).
#include <fmt/format.h>

#include "clearance/bodies/fem/soft_hold_potential.h"
#include "clearance/simulation/held_softly.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

constexpr double youngs_modulus = 1e7, traction = 1e4, thickness = 0.1;

/// A bar of 1 m in the plane, pulled at its right end by `traction`, and at its left end by `pull` times that.
std::string bar(double pull, const std::string& more = "") {
  return fmt::format(R"({{"dimension": 2, "gravity": [0, 0], "static": {{"hold_free": true}},
    "time": {{"step": 1, "duration": 1, "integrator": "quasi_static"}},
    "bodies": [{{"name": "bar", "generator": {{"kind": "rectangle", "size": [1, {}], "resolution": [20, 2]}},
      "material": {{"density": 1000, "youngs_modulus": {}, "poisson_ratio": 0}}, {}
      "loads": [{{"kind": "force", "value": [{}, 0, 0], "region": {{"box": [[0.499, -1], [1, 1]]}}}},
                {{"kind": "force", "value": [{}, 0, 0], "region": {{"box": [[-1, -1], [-0.499, 1]]}}}}]}}]}})",
                     thickness, youngs_modulus, more, traction * thickness, -pull * traction * thickness);
}

/// Returns the extent of the bodies along x [m].
double length_of(const RunningScene& scene) {
  double low = infinity, high = -infinity;
  for (int i = 0; i < scene.num_nodes(); ++i) {
    low = std::min(low, scene.x(i)[0]);
    high = std::max(high, scene.x(i)[0]);
  }
  return high - low;
}

TEST(SoftHold, LeavesABodyInBalanceAloneAndIsSilent) {
  RunningScene scene(bar(1.0));
  scene.step();
  EXPECT_NEAR(length_of(scene) - 1.0, traction / youngs_modulus, 1e-3 * traction / youngs_modulus);
  const std::vector<SoftHold> holds = scene.simulation().soft_holds();
  ASSERT_EQ(holds.size(), 1U);
  EXPECT_LT(holds[0].share, 1e-6);
  EXPECT_TRUE(held_softly_warnings(scene.simulation()).empty());
}

TEST(SoftHold, CarriesALoadLikeInertia) {
  RunningScene scene(bar(0.0));
  scene.step();
  // The force in the bar falls evenly to zero, so that its mean is half of the load.
  EXPECT_NEAR(length_of(scene) - 1.0, 0.5 * traction / youngs_modulus, 5e-3 * traction / youngs_modulus);
  const std::vector<SoftHold> holds = scene.simulation().soft_holds();
  ASSERT_EQ(holds.size(), 1U);
  EXPECT_NEAR(holds[0].force, traction * thickness, 1e-2 * traction * thickness);
  EXPECT_LT(holds[0].motion, 2.0);
  const std::vector<RunWarning> told = held_softly_warnings(scene.simulation());
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].name, "held_softly");
  EXPECT_NE(told[0].message.find("do not balance"), std::string::npos) << told[0].message;
}

TEST(SoftHold, HoldsStiffBodies) {
  for (const char* kind : {"affine", "rigid"}) {
    RunningScene scene(fmt::format(R"({{"dimension": 2, "gravity": [0, -10], "static": {{"hold_free": true}},
      "time": {{"step": 1, "duration": 1, "integrator": "quasi_static"}},
      "bodies": [{{"kind": "{}", "generator": {{"kind": "rectangle", "size": [1, 0.1], "resolution": [1]}},
        "material": {{"density": 1000}}}}]}})",
                                   kind));
    scene.step();
    const std::vector<SoftHold> holds = scene.simulation().soft_holds();
    ASSERT_EQ(holds.size(), 1U) << kind;
    EXPECT_NEAR(holds[0].force, 1000.0, 0.1) << kind;
    EXPECT_LT(holds[0].motion, 2.0) << kind;
  }
}

TEST(SoftHold, IsNotForBodiesThatMotionsHold) {
  RunningScene scene(bar(0.0, R"("motions": [{"region": {"box": [[-1, -1], [-0.499, 1]]}}],)"));
  scene.step();
  EXPECT_TRUE(scene.simulation().soft_holds().empty());
  EXPECT_NEAR(length_of(scene) - 1.0, traction / youngs_modulus, 1e-3 * traction / youngs_modulus);
}

TEST(SoftHold, LeavesASlenderBeamAndALargeStretchAlone) {
  // A beam of 2 m x 20 mm on no supports, pressed down in the middle and up at both ends: F L^3 / (48 E I).
  RunningScene beam(R"({"dimension": 2, "gravity": [0, 0], "static": {"hold_free": true},
    "time": {"step": 1, "duration": 1, "integrator": "quasi_static"},
    "bodies": [{"generator": {"kind": "rectangle", "size": [2, 0.02], "resolution": [80, 2]},
      "material": {"density": 1000, "youngs_modulus": 1e9, "poisson_ratio": 0},
      "loads": [{"kind": "force", "value": [0, 0.5, 0], "region": {"box": [[-1.001, -1], [-0.999, 1]]}},
                {"kind": "force", "value": [0, 0.5, 0], "region": {"box": [[0.999, -1], [1.001, 1]]}},
                {"kind": "force", "value": [0, -1, 0], "region": {"box": [[-0.026, 0.009], [0.026, 1]]}}]}]})");
  beam.step();
  double low = infinity, high = -infinity;
  for (int i = 0; i < beam.num_nodes(); ++i) {
    if (std::abs(beam.rest(i)[1]) > 1e-9) continue;
    low = std::min(low, beam.x(i)[1]);
    high = std::max(high, beam.x(i)[1]);
  }
  const double sag = 8.0 / (48.0 * 1e9 * 0.02 * 0.02 * 0.02 / 12.0);
  EXPECT_NEAR(high - low, sag, 0.01 * sag);
  EXPECT_LT(beam.simulation().soft_holds()[0].share, 1e-4);

  const auto stretched = [](double factor) {
    return fmt::format(R"({{"dimension": 2, "gravity": [0, 0], "static": {{"hold_free": true}},
      "time": {{"step": 1, "duration": 1, "integrator": "quasi_static"}},
      "bodies": [{{"generator": {{"kind": "rectangle", "size": [1, 0.1], "resolution": [10, 1]}},
        "material": {{"density": 1000, "youngs_modulus": 1e6, "poisson_ratio": 0}},
        "loads": [{{"kind": "force", "value": [{0}, 0, 0], "region": {{"box": [[0.499, -1], [1, 1]]}}}},
                  {{"kind": "force", "value": [-{0}, 0, 0], "region": {{"box": [[-1, -1], [-0.499, 1]]}}}}]}}]}})",
                       factor);
  };
  // Neo-Hookean, nu 0: the force per area at rest is E / 2 (l - 1 / l).
  RunningScene soft(stretched(0.1 * 0.5e6 * (1.5 - 1.0 / 1.5)));
  soft.step();
  EXPECT_NEAR(length_of(soft), 1.5, 1e-3);
  EXPECT_LT(soft.simulation().soft_holds()[0].share, 1e-4);
}

TEST(SoftHold, IsTheGradientOfItsEnergyBetweenReferencesAndResistsNoDeformation) {
  VecX anchors(8), stiffness = VecX::Constant(4, 2.0), x(8);
  anchors << 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0;
  SoftHoldPotential<2> springs({HeldBlocks{{0, 1, 2, 3}, {}}}, stiffness, anchors);
  // A stretch about the centre, at which the forces vanish.
  x << -0.5, 0.0, 1.5, 0.0, 1.5, 1.0, -0.5, 1.0;
  springs.refer_to(x);
  VecX gradient = VecX::Zero(8);
  springs.add_gradient(x, 1.0, gradient);
  EXPECT_LT(gradient.norm(), 1e-12);
  // Any motion.
  x << 0.3, -0.4, 1.0, 2.0, 0.5, -1.5, 0.2, 0.1;
  springs.refer_to(0.9 * x);
  gradient.setZero();
  springs.add_gradient(x, 1.0, gradient);
  constexpr double step = 1e-5;
  for (int i = 0; i < 8; ++i) {
    VecX to = x, from = x;
    to[i] += step;
    from[i] -= step;
    EXPECT_NEAR(gradient[i], (springs.energy(to).value() - springs.energy(from).value()) / (2.0 * step), 1e-8) << i;
  }
}

}  // namespace
}  // namespace clearance
