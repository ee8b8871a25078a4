// Coulomb's law in whole simulations: closed forms of sliding and sticking.
#include <fmt/format.h>

#include <cmath>

#include "clearance/contact/barrier.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

constexpr double g = 9.80665;

/// A stiff cube that rests on a plane with the slope `tangent`, with the downhill velocity `speed` [m/s]. The barrier
/// stiffness is such that four corners bear the weight at half of dhat: nothing falls or jumps at the start. Friction
/// is lagged until it agrees.
std::string cube_on_slope(double tangent, double speed, const std::string& friction, double step,
                          const std::string& integrator = "implicit_euler") {
  const double angle = std::atan(tangent);
  const Vec<3> normal(std::sin(angle), std::cos(angle), 0.0), down(std::cos(angle), -std::sin(angle), 0.0);
  const BarrierOptions barrier{1e-4, 0.0};
  const double gap = 0.5 * barrier.dhat, scale = (integrator == "implicit_newmark" ? 0.25 : 1.0) * step * step;
  const double corner_force = 0.25 * 1000.0 * g * std::cos(angle);
  const double kappa = scale * corner_force / (-2.0 * gap * barrier_derivatives(gap * gap, barrier).first);
  const Vec<3> center = (0.5 + gap) * normal;
  const Vec<3> v = speed * down;
  return fmt::format(
      R"({{"time": {{"step": {}, "integrator": "{}"}}, "solver": {{"force_tolerance": 1e-6}},
          "contact": {{"dhat": {}, "dhat_is_absolute": true, "kappa": {}}},
          "friction": {{"eps_v": 1e-5, "eps_v_is_absolute": true, "iterations": 0}},
          "half_spaces": [{{"normal": [{}, {}, 0], {}}}],
          "bodies": [{{"generator": {{"kind": "box", "size": [1, 1, 1], "resolution": [1, 1, 1]}},
            "transform": {{"rotation": [0, 0, {}], "translation": [{}, {}, 0]}},
            "linear_velocity": [{}, {}, 0], "material": {{"youngs_modulus": 1e9}}}}]}})",
      step, integrator, barrier.dhat, kappa, normal[0], normal[1], friction, -angle * 180.0 / 3.14159265358979323846,
      center[0], center[1], v[0], v[1]);
}

double speed_of(const RunningScene& scene) {
  return scene.momentum().norm() / scene.total_mass();
}

TEST(Friction, SlidingDeceleratesByMuG) {
  RunningScene scene(cube_on_slope(0.0, 1.0, R"("friction": 0.3)", 0.005));
  scene.steps(10);
  const double before = speed_of(scene);
  scene.steps(20);
  EXPECT_NEAR((before - speed_of(scene)) / (20 * 0.005), 0.3 * g, 1e-3 * 0.3 * g);
}

TEST(Friction, OnASlopeOfOneHalfHoldsAboveMuOneHalfAndSlidesBelow) {
  RunningScene holds(cube_on_slope(0.5, 0.0, R"("friction": 0.505)", 0.025));
  RunningScene slides(cube_on_slope(0.5, 0.0, R"("friction": 0.49)", 0.025));
  // The load moves to the lower corners first, and the cube tilts a little on its barriers.
  holds.steps(60);
  slides.steps(60);
  const Vec<3> held = holds.center_of_mass(), started = slides.center_of_mass();
  const double v0 = speed_of(slides);
  holds.steps(40);
  slides.steps(40);
  // Sticking means creeping below eps_v = 1e-5 m/s.
  EXPECT_LT((holds.center_of_mass() - held).norm(), 1.0 * 1.1e-5);
  const double acceleration = g * (0.5 - 0.49) / std::sqrt(1.25);
  EXPECT_NEAR((speed_of(slides) - v0) / 1.0, acceleration, 0.01 * acceleration);
  EXPECT_GT((slides.center_of_mass() - started).norm(), 0.5 * acceleration);
}

TEST(Friction, StaticCoefficientHoldsWhatTheKineticOneLetsSlide) {
  const std::string friction = R"("friction": 0.2, "static_friction": 0.8)";
  // Corners that spread while the cube takes up its weight must not count as sliding.
  const std::vector<std::string> overrides = {"friction.eps_v=1e-3"};
  RunningScene rests(cube_on_slope(0.4, 0.0, friction, 0.01), overrides);
  rests.steps(10);
  const Vec<3> start = rests.center_of_mass();
  rests.steps(40);
  EXPECT_LT((rests.center_of_mass() - start).norm(), 0.4 * 1e-3);
  RunningScene pushed(cube_on_slope(0.4, 0.1, friction, 0.01), overrides);
  pushed.steps(10);
  const double before = speed_of(pushed);
  pushed.steps(20);
  const double acceleration = g * (0.4 - 0.2) / std::sqrt(1.16);
  EXPECT_NEAR((speed_of(pushed) - before) / 0.2, acceleration, 0.01 * acceleration);
}

TEST(Friction, WorkIsTheEnergyLostInSliding) {
  // Newmark's mean velocity makes the balance exact for a constant force, which that of a corner is with lumped masses.
  RunningScene scene(cube_on_slope(0.0, 2.0, R"("friction": 0.25)", 0.005, "implicit_newmark"), {"time.mass=lumped"});
  StepReport report = scene.steps(10);
  const double before = total_energy(report);
  double work = 0.0;
  for (int n = 0; n < 40; ++n) {
    report = scene.step();
    work += report.friction_work;
  }
  const double lost = before - total_energy(report);
  EXPECT_GT(work, 0.1 * before);
  EXPECT_NEAR(lost, work, 0.01 * work);
}

/// Returns a cube on a sheet that moves: it is pulled along below the limit and left behind above it.
std::string cube_on_moving_sheet(double acceleration, const std::string& coefficients) {
  return fmt::format(
      R"({{"time": {{"step": 0.01}}, "solver": {{"force_tolerance": 1e-6}}, "friction": {{"eps_v": 1e-4, "iterations": 0{}}},
          "bodies": [
            {{"name": "cube", "generator": {{"kind": "box", "size": [1, 1, 1], "resolution": [2, 1, 2]}}, "friction": 0.1,
              "transform": {{"translation": [0.03, 0.5013, 0.02]}}, "material": {{"youngs_modulus": 1e8}}}},
            {{"name": "sheet", "kind": "obstacle", "generator": {{"kind": "sheet", "size": [20, 20], "resolution": [5, 5],
              "is_surface": true}}, "friction": 0.9,
              "motions": [{{"displacement": ["0.5 * {} * t^2", "0", "0"]}}]}}]}})",
      coefficients, acceleration);
}

TEST(Friction, OfAMovingObstacleDragsABodyAlong) {
  // The geometric mean of 0.1 and 0.9 is 0.3.
  RunningScene sticks(cube_on_moving_sheet(0.25 * g, ""));
  sticks.steps(40);
  EXPECT_NEAR(sticks.momentum()[0] / 1000.0, 0.25 * g * 0.4, 0.02 * 0.25 * g * 0.4);
  RunningScene slips(cube_on_moving_sheet(0.5 * g, ""));
  slips.steps(20);
  const double before = slips.momentum()[0] / 1000.0;
  slips.steps(20);
  EXPECT_NEAR((slips.momentum()[0] / 1000.0 - before) / 0.2, 0.3 * g, 0.02 * 0.3 * g);
}

TEST(Friction, OfAPairReplacesThatOfItsBodies) {
  RunningScene slips(
      cube_on_moving_sheet(0.5 * g, R"(, "pairs": [{"bodies": ["sheet", "cube"], "coefficient": 0.2}])"));
  slips.steps(20);
  const double before = slips.momentum()[0] / 1000.0;
  slips.steps(20);
  EXPECT_NEAR((slips.momentum()[0] / 1000.0 - before) / 0.2, 0.2 * g, 0.02 * 0.2 * g);
}

TEST(Friction, InThePlaneDeceleratesByMuG) {
  RunningScene scene(R"({"dimension": 2, "time": {"step": 0.005}, "solver": {"force_tolerance": 1e-6},
    "friction": {"eps_v": 1e-5, "iterations": 0}, "half_spaces": [{"friction": 0.4}],
    "bodies": [{"generator": {"kind": "rectangle", "size": [2, 1], "resolution": [2, 1]}, "linear_velocity": [1.5, 0],
      "transform": {"translation": [0, 0.502]}, "material": {"youngs_modulus": 1e8}}]})");
  scene.steps(15);
  const double before = speed_of(scene);
  scene.steps(20);
  EXPECT_NEAR((before - speed_of(scene)) / 0.1, 0.4 * g, 0.01 * 0.4 * g);
}

TEST(Friction, OneLaggedSolveAStepIsCheaperAndStillDecelerates) {
  RunningScene scene(cube_on_slope(0.0, 1.0, R"("friction": 0.3)", 0.005), {"friction.iterations=1"});
  const StepReport report = scene.steps(10);
  EXPECT_EQ(report.friction_iterations, 1);
  const double before = speed_of(scene);
  scene.steps(20);
  EXPECT_NEAR((before - speed_of(scene)) / 0.1, 0.3 * g, 0.02 * 0.3 * g);
}

}  // namespace
}  // namespace clearance
