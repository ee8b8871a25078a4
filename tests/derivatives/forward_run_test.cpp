#include "clearance/derivatives/forward_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "clearance/derivatives/check_gradient.h"
#include "clearance/derivatives/nearby_steps.h"
#include "clearance/io/scene_reader.h"
#include "clearance/simulation/build/motion_targets.h"

namespace clearance::derivatives {
namespace {

SceneMaker maker(const std::string& text) {
  return [text](const std::vector<std::string>& overrides) -> Result<SceneDesc> {
    Result<LoadedScene> loaded = load_scene_text(text, "scene.json", ".", overrides);
    if (!loaded) return loaded.issues();
    return std::move(loaded->scene);
  };
}

Gradient gradient_of(const std::string& text, const std::vector<std::string>& by,
                     const std::vector<std::string>& of = {}) {
  Result<Gradient> found = find_gradient(maker(text), {by, of, 0, {}, {}});
  for (const Issue& issue : found.issues()) ADD_FAILURE() << to_string(issue);
  if (!found) return {};
  for (const Issue& issue : found->errors) ADD_FAILURE() << to_string(issue);
  EXPECT_EQ(found->end, GradientEnd::complete);
  return *found;
}

double last(const Gradient& gradient, Eigen::Index column, Eigen::Index parameter) {
  return gradient.steps.back().derivatives(column, parameter);
}

void expect_relative(double found, double expected, double tolerance) {
  EXPECT_NEAR(found, expected, tolerance * std::abs(expected));
}

/// Compares all derivatives of a scene with differences of runs.
void expect_differences(const std::string& text, const std::vector<std::string>& by, double tolerance = 1e-6,
                        const std::vector<std::string>& of = {}) {
  const GradientOptions options{by, of, 0, {}, {}};
  const Gradient gradient = gradient_of(text, by, of);
  ASSERT_FALSE(gradient.steps.empty());
  for (const CheckedDerivative& check : check_gradient(maker(text), options, gradient)) {
    if (std::isnan(check.derivative)) continue;
    EXPECT_TRUE(check.is_known());
    // A derivative that is zero is rounding of the value over the number.
    const double value = gradient.steps.back().values[check.column];
    const double rounding = 1e-10 * std::abs(value / gradient.parameters[check.parameter].size());
    EXPECT_NEAR(check.derivative, check.difference,
                tolerance * std::abs(check.difference) + 3.0 * check.uncertainty + 1e-8 * check.size + rounding)
        << gradient.columns[check.column] << " by " << gradient.parameters[check.parameter].path;
  }
}

std::string flight(const std::string& integrator, const std::string& body) {
  return R"({"time": {"step": 0.01, "duration": 0.2, "integrator": ")" + integrator + R"("},
    "bodies": [{"name": "body", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]}, "linear_velocity": [4, 3, 0],)" +
         body + R"(}],
    "output": {"probes": [{"name": "body", "body": "body"}]}})";
}

TEST(ForwardRun, FlightHasTheDerivativesOfItsScheme) {
  const double h = 0.01, n = 20;
  for (const char* body : {R"("kind": "rigid")", R"("kind": "affine")", R"("material": {"youngs_modulus": 1e6})"}) {
    const Gradient euler =
        gradient_of(flight("implicit_euler", body), {"bodies[0].linear_velocity[1]", "gravity[1]"}, {"body.y"});
    ASSERT_EQ(euler.steps.size(), 21U);
    expect_relative(last(euler, 0, 0), n * h, 1e-9);
    expect_relative(last(euler, 0, 1), h * h * n * (n + 1) / 2, 1e-9);
    const Gradient newmark =
        gradient_of(flight("implicit_newmark", body), {"bodies[0].linear_velocity[1]", "gravity[1]"}, {"body.y"});
    expect_relative(last(newmark, 0, 0), n * h, 1e-9);
    expect_relative(last(newmark, 0, 1), h * h * n * n / 2, 1e-9);
  }
}

TEST(ForwardRun, PulledBarHasTheDerivativesOfTheoryToNineDigits) {
  const std::string bar = R"({"time": {"step": 1, "duration": 1, "integrator": "quasi_static"}, "gravity": [0, 0, 0],
    "bodies": [{"name": "bar", "generator": {"kind": "box", "size": [2, 0.1, 0.1], "resolution": [4, 1, 1]},
      "material": {"model": "linear_elasticity", "youngs_modulus": 1e6, "poisson_ratio": 0},
      "motions": [{"region": {"box": [[-2, -1, -1], [-0.999, 1, 1]]}}],
      "loads": [{"kind": "force", "value": [100, 0, 0], "region": {"box": [[0.999, -1, -1], [2, 1, 1]]}}]}],
    "output": {"probes": [{"name": "end", "body": "bar", "region": {"box": [[0.999, -1, -1], [2, 1, 1]]}}]}})";
  const Gradient gradient =
      gradient_of(bar, {"bodies[0].material.youngs_modulus", "bodies[0].loads[0].value[0]"}, {"end.x"});
  expect_relative(last(gradient, 0, 0), -100 * 2 / (1e12 * 0.01), 1e-9);
  expect_relative(last(gradient, 0, 1), 2 / (1e6 * 0.01), 1e-9);
}

/// The largest stress was differentiated by the size at a given end and by the end at a given size. Each of these
/// strains a bar of 1e-5 by far more than that, so that their sum was wrong by thousands of times.
TEST(ForwardRun, StressOfABarFollowsItsSize) {
  const std::string bar = R"({"time": {"step": 1, "duration": 1, "integrator": "quasi_static"}, "gravity": [0, 0, 0],
    "bodies": [{"name": "bar", "generator": {"kind": "box", "size": [1, 0.1, 0.1], "resolution": [6, 2, 2]},
      "material": {"youngs_modulus": 1e9, "poisson_ratio": 0},
      "motions": [{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}],
      "loads": [{"kind": "force", "value": [100, 0, 0], "region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}}]}],
    "output": {"probes": [{"name": "s", "kind": "stress", "body": "bar"}]}})";
  const Gradient gradient = gradient_of(bar,
                                        {"bodies[0].generator.size[1]", "bodies[0].generator.size[0]",
                                         "bodies[0].loads[0].value[0]", "bodies[0].material.youngs_modulus"},
                                        {"s.von_mises", "s.largest_principal"});
  for (int column : {0, 1}) {
    const double stress = gradient.steps.back().values[column];  // F / A
    EXPECT_NEAR(stress, 1e4, 1.0);
    expect_relative(last(gradient, column, 0), -stress / 0.1, 1e-4);
    EXPECT_NEAR(last(gradient, column, 1), 0.0, 1e-4 * stress);
    expect_relative(last(gradient, column, 2), stress / 100, 1e-4);
    EXPECT_NEAR(last(gradient, column, 3), 0.0, 1e-4 * stress / 1e9);
  }
}

/// A bar that one plane and one node hold turns about its axis at will: how far was a number like any other.
TEST(ForwardRun, MotionsThatNothingResistsAreTold) {
  const auto bar = [](const std::string& components) {
    return R"({"time": {"step": 1, "duration": 1, "integrator": "quasi_static"}, "gravity": [0, 0, 0],
      "bodies": [{"name": "bar", "generator": {"kind": "box", "size": [1, 0.1, 0.1], "resolution": [6, 2, 2]},
        "material": {"youngs_modulus": 1e9, "poisson_ratio": 0},
        "motions": [{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}, "components": )" +
           components + R"(}, {"region": {"nodes": [0]}}],
        "loads": [{"kind": "force", "value": [100, 0, 0], "region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}}]}],
      "output": {"probes": [{"name": "end", "body": "bar", "point": [0.5, 0.05, 0.05]}]}})";
  };
  const std::vector<std::string> by = {"bodies[0].generator.size[1]"};
  const Gradient loose = gradient_of(bar("[true, false, false]"), by, {"end.y"});
  ASSERT_EQ(loose.warnings.size(), 1U);
  EXPECT_NE(loose.warnings[0].message.find("nothing resists some motion"), std::string::npos);
  EXPECT_TRUE(gradient_of(bar("[true, true, true]"), by, {"end.y"}).warnings.empty());
}

/// A bar that has flowed and whose load is then held lies on its yield surface: the balance by a number, and the
/// balance by the start of the step, have a kink each there, which cancel. The Kirchhoff stress s and the logarithmic
/// strain e of the bar are e = s / E + (s - yield) / H, and the load is A s exp(-e).
TEST(ForwardRun, HeldLoadsOnTheYieldSurfaceHaveTheDerivativesOfTheory) {
  const std::string bar =
      R"x({"time": {"step": 0.25, "duration": 1, "integrator": "quasi_static"}, "gravity": [0, 0, 0],
    "bodies": [{"name": "bar", "generator": {"kind": "box", "size": [2, 0.1, 0.1], "resolution": [4, 1, 1]},
      "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.3, "yield_stress": 1e4, "hardening_modulus": 5e4},
      "motions": [{"region": {"box": [[-2, -1, -1], [-0.999, 1, 1]]}, "components": [true, false, false]},
        {"region": {"box": [[-2, -1, -1], [2, -0.049, 1]]}, "components": [false, true, false]},
        {"region": {"box": [[-2, -1, -1], [2, 1, -0.049]]}, "components": [false, false, true]}],
      "loads": [{"kind": "force", "expression": ["130 * min(2 * t, 1)", "0", "0"],
        "region": {"box": [[0.999, -1, -1], [2, 1, 1]]}}]}],
    "output": {"probes": [{"name": "end", "body": "bar", "region": {"box": [[0.999, -1, -1], [2, 1, 1]]}}]}})x";
  const Gradient gradient = gradient_of(
      bar,
      {"bodies[0].material.youngs_modulus", "bodies[0].material.yield_stress", "bodies[0].material.hardening_modulus"},
      {"end.x"});
  const double modulus = 1e6, yield = 1e4, hardening = 5e4, length = 2.0;
  const double strain = std::log((gradient.steps.back().values[0] + 1.0) / length);
  const double stress = 130.0 / 0.01 * std::exp(strain);
  EXPECT_NEAR(strain, stress / modulus + (stress - yield) / hardening, 1e-9);
  const double by_strain = length * std::exp(strain) / (1.0 - stress / modulus - stress / hardening);
  expect_relative(last(gradient, 0, 0), -by_strain * stress / (modulus * modulus), 1e-7);
  expect_relative(last(gradient, 0, 1), -by_strain / hardening, 1e-7);
  expect_relative(last(gradient, 0, 2), -by_strain * (stress - yield) / (hardening * hardening), 1e-7);
}

/// Returns a wheel of 0.02 kg m^2 that the dry friction of its axle slows.
std::string flywheel(double friction, double armature) {
  return R"({"gravity": [0, 0, 0], "time": {"step": 0.01, "duration": 0.5, "integrator": "implicit_euler"},
    "bodies": [{"name": "wheel", "kind": "rigid", "mass": 2, "inertia": {"moments": [0.01, 0.01, 0.02]},
      "generator": {"kind": "box", "size": [0.2, 0.2, 0.05], "resolution": [1]}, "angular_velocity": [0, 0, 57]}],
    "joints": [{"name": "axle", "bodies": ["wheel", ""], "axis": [0, 0, 1], "friction": )" +
         std::to_string(friction) + R"(, "armature": )" + std::to_string(armature) + R"(}],
    "output": {"probes": [{"name": "axle", "kind": "joint", "joint": "axle"}]}})";
}

/// Beside a damping of 0 there are scenes with a damper, which has an energy of its own.
TEST(ForwardRun, NumbersAtTheirBoundHaveTheSlopeOfTheOtherSide) {
  const double inertia = 0.02, h = 0.01, n = 50;
  const Gradient gradient = gradient_of(flywheel(0, 0), {"joints[0].damping"}, {"axle.angle"});
  ASSERT_FALSE(gradient.steps.empty());
  // Implicit Euler also brakes the turn by itself.
  expect_relative(last(gradient, 0, 0), -57.0 * h * h * n * (n + 1) / 2 / inertia, 1e-2);
}

TEST(ForwardRun, ArmatureSlowsWhatBrakesAWheel) {
  const double torque = 0.03, inertia = 0.02, h = 0.01, n = 50;
  const Gradient gradient = gradient_of(flywheel(torque, 1e-6), {"joints[0].armature"}, {"axle.angle"});
  ASSERT_FALSE(gradient.steps.empty());
  const double expected = h * h * torque * n * (n + 1) / 2 / (inertia * inertia) * 180.0 / 3.14159265358979323846;
  expect_relative(last(gradient, 0, 0), expected, 1e-3);
}

/// The refusal was about a negative value, which nobody gave.
TEST(ForwardRun, NumbersThatBringAMemoryAreRefusedWithTheReason) {
  for (const char* number : {"joints[0].friction", "joints[0].armature"}) {
    const Result<Gradient> found = find_gradient(maker(flywheel(0, 0)), {{number}, {}, 0, {}, {}});
    Issues told = found.issues();
    if (found) told.insert(told.end(), found->errors.begin(), found->errors.end());
    ASSERT_FALSE(told.empty());
    EXPECT_NE(to_string(told[0]).find("remembers more or less"), std::string::npos) << to_string(told[0]);
    EXPECT_EQ(to_string(told[0]).find("-0.00"), std::string::npos) << to_string(told[0]);
  }
}

TEST(ForwardRun, SlidingFollowsTheSlopeOfFriction) {
  const std::string slide =
      R"({"time": {"step": 0.01, "duration": 0.3, "integrator": "implicit_euler"}, "gravity": [4, -9, 0],
    "friction": {"coefficient": 0.2},
    "bodies": [{"name": "box", "kind": "rigid", "generator": {"kind": "box", "size": [0.2, 0.1, 0.2]},
      "transform": {"translation": [0, 0.0501, 0]}}],
    "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],
    "output": {"probes": [{"name": "box", "body": "box"}]}})";
  expect_differences(slide, {"friction.coefficient", "gravity[0]", "gravity[1]"});
}

/// Friction presses a block that is pushed up a slope into it: the contact forces follow friction.
TEST(ForwardRun, ConsistentFrictionLoadsItsOwnContacts) {
  const std::string wedge = R"({"dimension": 2, "time": {"step": 1, "duration": 2, "integrator": "quasi_static"},
    "gravity": [0, -10], "contact": {"dhat": 1e-5, "dhat_is_absolute": true},
    "bodies": [
      {"name": "block", "kind": "rigid", "fixed_rotation": true, "mass": 1,
        "generator": {"kind": "rectangle", "size": [0.1, 0.05], "resolution": [1, 1]},
        "transform": {"translation": [-0.0024880904941200787, 0.024880904941200783], "rotation": 5.710593137499643}},
      {"name": "plate", "kind": "obstacle",
        "generator": {"kind": "rectangle", "size": [0.02, 0.5], "resolution": [1, 1]},
        "transform": {"translation": [-0.06473254298014451, 0]}, "motions": [{"linear_velocity": [0.001, 0]}]}],
    "half_spaces": [{"point": [0, 0], "normal": [-0.09950371902099893, 0.9950371902099892], "friction": 0.3}],
    "output": {"probes": [{"name": "push", "kind": "contact", "bodies": ["block", "plate"]}]}})";
  const Gradient gradient = gradient_of(wedge, {"half_spaces[0].friction", "gravity[1]"}, {"push.normal.x"});
  // F = G (tan a + mu) / (1 - mu tan a), with tan a = 0.1. With the normal forces held, d F / d mu would be 4 % less.
  const double share = 1.0 - 0.3 * 0.1;
  expect_relative(last(gradient, 0, 0), 10.0 * 1.01 / (share * share), 1e-4);
  expect_relative(last(gradient, 0, 1), -0.4 / share, 1e-4);
}

TEST(ForwardRun, SoftContactAgreesWithDifferencesOfRuns) {
  const std::string drop = R"({"time": {"step": 0.005, "duration": 0.1}, "friction": {"coefficient": 0.3},
    "bodies": [{"name": "ball", "generator": {"kind": "sphere", "size": [0.1], "resolution": [1]},
      "transform": {"translation": [0, 0.105, 0]}, "linear_velocity": [0.5, -0.5, 0],
      "material": {"density": 1000, "youngs_modulus": 1e5, "poisson_ratio": 0.4}}],
    "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],
    "output": {"probes": [{"name": "ball", "body": "ball"}]}})";
  expect_differences(drop,
                     {"bodies[0].material.youngs_modulus", "bodies[0].material.poisson_ratio",
                      "bodies[0].material.density", "friction.coefficient", "bodies[0].linear_velocity[0]"},
                     1e-4);
}

/// A box that friction stops: its elastic sliding passes through zero afterwards, where friction is linear over short
/// lengths alone.
TEST(ForwardRun, AStoppedBoxKeepsItsSlope) {
  const std::string stop = R"({"time": {"step": 0.01, "duration": 0.3}, "friction": {"coefficient": 0.5},
    "bodies": [{"name": "box", "kind": "rigid", "generator": {"kind": "box", "size": [0.2, 0.1, 0.2]},
      "transform": {"translation": [0, 0.0501, 0]}, "linear_velocity": [1, 0, 0], "material": {"density": 700}}],
    "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],
    "output": {"probes": [{"name": "box", "body": "box"}]}})";
  expect_differences(stop, {"friction.coefficient", "bodies[0].linear_velocity[0]"}, 1e-5);
}

/// A thousandth of a normal moves the plane by ten activation distances.
TEST(ForwardRun, NumbersThatMoveSurfacesAreMeasuredByGaps) {
  const std::string slide = R"({"dimension": 2, "time": {"step": 0.01, "duration": 0.1}, "gravity": [2, -10],
    "contact": {"dhat": 1e-5, "dhat_is_absolute": true},
    "bodies": [{"name": "block", "kind": "rigid", "generator": {"kind": "rectangle", "size": [0.1, 0.05]},
      "transform": {"translation": [0, 0.025003]}}],
    "half_spaces": [{"point": [0, 0], "normal": [0, 1], "friction": 0.1}],
    "output": {"probes": [{"name": "block", "body": "block"}]}})";
  // Along a plane that leans by a, x'' = g_x cos a - ... : in the first order y = -a x, and a turns gravity.
  const Gradient gradient = gradient_of(slide, {"half_spaces[0].normal[0]"}, {"block.x", "block.y"});
  EXPECT_GT(std::abs(last(gradient, 0, 0)), 0.01);
  EXPECT_LT(last(gradient, 1, 0), -1e-4);
}

/// The unknowns of a rigid body are its axes times a radius that follows its size.
TEST(ForwardRun, RigidBodiesOfOtherSizesKeepTheirAxes) {
  const std::string pendulum = R"({"dimension": 2, "time": {"step": 0.005, "duration": 0.05}, "gravity": [0, -10],
    "bodies": [{"name": "rod", "kind": "rigid", "generator": {"kind": "rectangle", "size": [0.02, 1]},
      "transform": {"translation": [0.4, -0.3], "rotation": 53.13010235415598}}],
    "joints": [{"kind": "hinge", "bodies": ["rod", ""], "point": [0, 0]}],
    "output": {"probes": [{"name": "rod", "body": "rod"}]}})";
  expect_differences(pendulum, {"bodies[0].generator.size[1]", "bodies[0].transform.rotation", "gravity[1]"}, 1e-5);
}

TEST(ForwardRun, ProbesOfJointsHaveDerivatives) {
  const std::string pendulum = R"({"time": {"step": 0.01, "duration": 0.05},
    "bodies": [{"name": "rod", "kind": "rigid", "generator": {"kind": "box", "size": [1, 0.1, 0.1]}}],
    "joints": [{"name": "hinge", "kind": "hinge", "bodies": ["rod", ""], "point": [-0.5, 0, 0], "axis": [0, 0, 1]}],
    "output": {"probes": [{"name": "hinge", "kind": "joint", "joint": "hinge"}]}})";
  expect_differences(pendulum, {"gravity[1]"}, 1e-5, {"hinge.angle", "hinge.force.y"});
}

/// A cart of 2 kg at 2 m/s stops after m v^2 / 2 F. Where it sticks, its friction changes within 1e-4 of its radius,
/// and differences over more than that were wrong by 6 to 1e21 times.
TEST(ForwardRun, FrictionOfJointsThatStopHasTheClosedForm) {
  for (const char* integrator : {"implicit_euler", "bdf2", "bdf2_in_flight"}) {
    for (const double step : {0.01, 0.002}) {
      SCOPED_TRACE(fmt::format("{} {}", integrator, step));
      const std::string cart = fmt::format(
          R"({{"gravity": [0, 0, 0], "time": {{"step": {}, "duration": 0.8, "integrator": "{}"}},
            "bodies": [{{"name": "cart", "kind": "rigid", "mass": 2, "linear_velocity": [2, 0, 0],
              "generator": {{"kind": "box", "size": [0.1, 0.1, 0.1]}}}}],
            "joints": [{{"name": "rail", "kind": "slider", "bodies": ["cart", ""], "axis": [1, 0, 0], "friction": 6}}],
            "output": {{"probes": [{{"name": "rail", "kind": "joint", "joint": "rail"}}]}}}})",
          step, integrator);
      const Gradient gradient = gradient_of(cart, {"joints[0].friction", "bodies[0].mass"}, {"rail.offset"});
      EXPECT_NEAR(last(gradient, 0, 0), -1.0 / 9.0, 0.02 / 9.0);
      EXPECT_NEAR(last(gradient, 0, 1), 1.0 / 3.0, 0.02 / 3.0);
    }
  }
}

/// The force of a joint is that of a gap of a billionth of the motion. Differences over lengths at which they see the
/// arc, or the rounding of positions, were wrong by up to a tenth. With implicit Euler the force is what accelerates
/// the arm.
TEST(ForwardRun, ForcesOfJointsFollowTheirTinyGaps) {
  const auto arm = [](const std::string& kind, const std::string& joint) {
    return R"({"time": {"step": 0.01, "duration": 0.3, "integrator": "implicit_euler"},
      "bodies": [{"name": "arm", "kind": ")" +
           kind + R"(", "generator": {"kind": "box", "size": [0.3, 0.04, 0.04],
        "resolution": [2, 1, 1]}, "transform": {"translation": [0.15, 0.2, 0]}, "material": {"density": 1000}}],
      "controls": [{"name": "A", "value": 40}],
      "joints": [{"name": "h", "kind": "hinge", "bodies": ["arm", ""], "point": [0, 0.2, 0], "axis": [0, 0, 1])" +
           joint + R"(}],
      "output": {"probes": [{"name": "h", "kind": "joint", "joint": "h"}, {"name": "v", "kind": "velocity",
        "body": "arm"}]}})";
  };
  const double mass = 0.3 * 0.04 * 0.04 * 1000, h = 0.01;
  const std::vector<std::pair<std::string, std::string>> joints = {
      {R"(, "damping": 0.05, "stiffness": 0.2)", "joints[0].damping"},
      {R"~(, "drive": "A*(1-cos(3*t))")~", "controls[0].value"},
      {R"(, "effort": "A/100")", "controls[0].value"}};
  for (const char* kind : {"rigid", "affine"}) {
    for (const auto& [joint, by] : joints) {
      SCOPED_TRACE(kind + joint);
      const Gradient gradient = gradient_of(arm(kind, joint), {by}, {"h.force.x", "h.force.y", "v.x", "v.y"});
      ASSERT_EQ(gradient.steps.size(), 31U);
      for (std::size_t n = 2; n <= 30; ++n) {
        const MatX &now = gradient.steps[n].derivatives, &before = gradient.steps[n - 1].derivatives;
        const VecX expected = mass * (now.col(0).segment(2, 2) - before.col(0).segment(2, 2)) / h;
        // Gaps of a billionth of a metre have the rounding of coordinates.
        EXPECT_LT((now.col(0).head(2) - expected).norm(), 1e-3 * expected.norm()) << n;
      }
    }
  }
}

/// Hessians of clamped edges leave out a part, which the first steps hardly show: with two numbers they alone are
/// checked.
TEST(ForwardRun, ClampedShellsNeedNoCheckToBeRight) {
  const std::string plate = R"({"time": {"step": 0.01, "duration": 0.1, "integrator": "bdf2"},
    "bodies": [{"name": "plate", "kind": "shell", "thickness": 0.002, "generator": {"kind": "sheet", "size": [0.3, 0.1],
      "resolution": [6, 2]}, "material": {"youngs_modulus": 2e9, "poisson_ratio": 0.3, "density": 1200},
      "motions": [{"region": {"box": [[-1, -1, -1], [-0.149, 1, 1]]}, "clamp": true}]}],
    "output": {"probes": [{"name": "tip", "body": "plate", "region": {"box": [[0.149, -1, -1], [1, 1, 1]]}}]}})";
  const std::string by = "bodies[0].material.poisson_ratio";
  const double alone = gradient_of(plate, {by}, {"tip.y"}).steps.back().derivatives(0, 0);
  const MatX both = gradient_of(plate, {by, "bodies[0].material.density"}, {"tip.y"}).steps.back().derivatives;
  EXPECT_NEAR(both(0, 0), alone, 1e-8 * std::abs(alone));
  expect_differences(plate, {by}, 1e-7, {"tip.y"});
}

/// The arm lies on the floor with its end: gaps of contacts are far shorter than what forces of joints need.
TEST(ForwardRun, ForcesOfJointsBesideContactsAreThoseOfLongWays) {
  const std::string lever = R"({"time": {"step": 0.01, "duration": 0.05, "integrator": "implicit_euler"},
    "friction": {"coefficient": 0.3},
    "bodies": [{"name": "arm", "kind": "rigid", "generator": {"kind": "box", "size": [0.3, 0.04, 0.04],
      "resolution": [2, 1, 1]}, "transform": {"translation": [0.15, 0.0416, 0], "rotation": [3, 0, -7.6]},
      "loads": [{"kind": "force", "value": [1, -2, 0.5]}]}],
    "joints": [{"name": "h", "kind": "hinge", "bodies": ["arm", ""], "point": [0, 0.06, 0], "axis": [0, 0, 1]}],
    "half_spaces": [{}],
    "output": {"probes": [{"name": "h", "kind": "joint", "joint": "h"}]}})";
  expect_differences(lever, {"bodies[0].loads[0].value[1]", "bodies[0].loads[0].value[0]"}, 1e-3,
                     {"h.force.x", "h.force.y"});
}

/// The face that carries the load is inside the region at one size and outside at another.
TEST(ForwardRun, AJumpOfTheBalanceIsNoDerivative) {
  const std::string bar = R"({"time": {"step": 1, "duration": 1, "integrator": "quasi_static"}, "gravity": [0, 0, 0],
    "bodies": [{"name": "bar", "generator": {"kind": "box", "size": [2, 0.1, 0.1], "resolution": [4, 1, 1]},
      "material": {"youngs_modulus": 1e6, "poisson_ratio": 0},
      "motions": [{"region": {"box": [[-2, -1, -1], [-0.9, 1, 1]]}}],
      "loads": [{"kind": "force", "value": [100, 0, 0], "region": {"box": [[1, -1, -1], [2, 1, 1]]}}]}],
    "output": {"probes": [{"name": "bar", "body": "bar"}]}})";
  const Result<Gradient> found = find_gradient(maker(bar), {{"bodies[0].generator.size[0]"}, {}, 0, {}, {}});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->end, GradientEnd::failed);
  EXPECT_NE(found->errors.front().message.find("jumps"), std::string::npos);
}

TEST(ForwardRun, WrongPathsAreToldAllAtOnce) {
  const std::string scene = flight("implicit_euler", R"("kind": "rigid")");
  const Result<Gradient> found =
      find_gradient(maker(scene), {{"bodies[0].material.young", "bodies[0].kind", "time.step"}, {"body.q"}, 0, {}, {}});
  ASSERT_FALSE(found);
  EXPECT_GE(found.issues().size(), 3U);
}

/// The message was that of the scene with 4.004 cells.
TEST(ForwardRun, WholeNumbersAreRefusedAsSuch) {
  const std::string scene = flight("implicit_euler", R"("kind": "rigid")");
  const Result<Gradient> found = find_gradient(maker(scene), {{"bodies[0].generator.resolution[0]"}, {}, 0, {}, {}});
  ASSERT_FALSE(found);
  ASSERT_EQ(found.issues().size(), 1U);
  EXPECT_NE(found.issues()[0].message.find("whole number"), std::string::npos);
}

/// The size of a bar has short differences by itself; the warning is about contact forces.
TEST(ForwardRun, FewDigitsAreAMatterOfContactAlone) {
  const std::string bar = R"({"time": {"step": 0.01, "duration": 0.02},
    "bodies": [{"name": "bar", "generator": {"kind": "box", "size": [0.2, 0.1, 0.1], "resolution": [2, 1, 1]},
      "transform": {"translation": [1000, 0, 0]}, "material": {"youngs_modulus": 1e5}}],
    "output": {"probes": [{"name": "bar", "body": "bar"}]}})";
  const Gradient gradient = gradient_of(bar, {"bodies[0].transform.translation[0]"});
  for (const Issue& warning : gradient.warnings) EXPECT_NE(warning.place, "few_digits");
}

/// A derivative that is zero beside the rounding of runs agrees, and one whose difference is nothing but rounding is
/// not decided.
TEST(CheckedDerivative, ADifferenceAsUncertainAsItIsLargeDecidesNothing) {
  const CheckedDerivative sound{0, 0, 1.0, 1.0 + 1e-7, 1e-6, 1.0};
  EXPECT_TRUE(sound.agrees() && sound.is_decided());
  const CheckedDerivative wrong{0, 0, 1.0, 2.0, 1e-6, 2.0};
  EXPECT_TRUE(!wrong.agrees() && wrong.is_decided());
  const CheckedDerivative vague{0, 0, 1.0, 1.5, 0.8, 1.5};
  EXPECT_TRUE(vague.agrees());
  EXPECT_FALSE(vague.is_decided());
  const CheckedDerivative nothing{0, 0, 0.0, 1e-12, 1e-12, 1.0};
  EXPECT_TRUE(nothing.agrees() && nothing.is_decided());
  // Rounding alone, of a column that is zero and has no other one beside it.
  const CheckedDerivative rounding{0, 0, 0.0, 2e-15, 1e-15, 2e-15, 1e-15};
  EXPECT_TRUE(rounding.agrees() && rounding.is_decided());
  // Differences have the slopes of both sides of a kink.
  const CheckedDerivative kink{0, 0, 1.0, 2.0, 1e-6, 2.0, 0.0, true};
  EXPECT_FALSE(kink.agrees() || kink.is_decided());
}

std::string remainders_scene() {
  return R"({"time": {"step": 0.01, "duration": 0.1}, "friction": {"coefficient": 0.3},
    "bodies": [{"name": "box", "kind": "rigid", "generator": {"kind": "box", "size": [0.2, 0.1, 0.2]},
      "transform": {"translation": [0, 0.0501, 0]}, "linear_velocity": [2, 0, 0]}],
    "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],
    "output": {"probes": [{"name": "box", "body": "box"}]}})";
}

/// The part that is left beside the tangent falls with the square of the change.
/// Friction ripples where a crate slides over the edges of a flat table. Differences over a thousandth of a turn were
/// as uncertain as the derivative, which they were said to agree with.
TEST(CheckedDerivative, RoughRunsAreComparedOverShorterLengths) {
  const std::string crate = R"({"time": {"step": 0.01, "duration": 0.1}, "gravity": [4, -9, 0.5],
    "friction": {"coefficient": 0.25}, "bodies": [
      {"name": "crate", "kind": "rigid", "generator": {"kind": "box", "size": [0.2, 0.1, 0.15]},
       "transform": {"translation": [0, 0.051, 0], "rotation": [0, 12, 0]}, "material": {"density": 300}},
      {"name": "table", "kind": "obstacle", "generator": {"kind": "sheet", "size": [3, 3], "resolution": [2, 2]}}],
    "output": {"probes": [{"name": "speed", "kind": "velocity", "body": "crate"}]}})";
  const GradientOptions options{{"bodies[0].transform.rotation[1]"}, {"speed.x"}, 0, {}, {}};
  const Gradient gradient = gradient_of(crate, options.parameters, options.columns);
  for (const CheckedDerivative& check : check_gradient(maker(crate), options, gradient)) {
    EXPECT_TRUE(check.is_decided());
    EXPECT_TRUE(check.agrees());
    EXPECT_LT(std::abs(check.derivative - check.difference), 0.1 * std::abs(check.derivative));
  }
}

TEST(ForwardRun, RemaindersBesideTheTangentFallWithTheSquare) {
  const GradientOptions options{{"gravity[1]"}, {"box.x"}, 0, {}, {}};
  const Gradient gradient = gradient_of(remainders_scene(), options.parameters, options.columns);
  const auto found = find_remainders(maker(remainders_scene()), options, gradient, {0.1, 0.01, 0.001});
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].changes.size(), 3U);
  const double wide = found[0].remainders(0, 0), narrow = found[0].remainders(1, 0);
  EXPECT_NE(wide, 0.0);
  EXPECT_NEAR(std::log10(std::abs(wide / narrow)), 2.0, 0.3);
}

/// Statics narrow the gaps by a factor that follows the contact forces. Runs beside this one had gaps of their own,
/// which derivatives do not see: -5e-5 for a derivative of 4e-4.
TEST(ForwardRun, RunsBesideAStaticOneKeepItsGaps) {
  const std::string rod = R"({"time": {"step": 0.004, "duration": 0.008, "integrator": "quasi_static"},
    "contact": {"dhat": 1e-3, "dhat_is_absolute": true}, "friction": {"coefficient": 0.25},
    "bodies": [{"name": "rod", "kind": "rod", "generator": {"kind": "line", "size": [0.2], "resolution": [5]},
      "thickness": 8e-3, "material": {"youngs_modulus": 2e5, "poisson_ratio": 0.35, "density": 900},
      "loads": [{"kind": "force", "value": [0.0027, -0.018, 0.0036]}], "transform": {"translation": [0.02, 0.0066, 0.01]},
      "motions": [{"region": {"box": [[-0.01, -0.01, -0.01], [0.01, 1.01, 1.01]], "frame": "body"}}]}],
    "half_spaces": [{"point": [0, 0.002, 0], "normal": [0, 1, 0]}],
    "output": {"probes": [{"name": "rod", "body": "rod"}]}})";
  expect_differences(rod, {"bodies[0].loads[0].value[1]"}, 1e-5);
}

/// Lagged damping is not smooth where elements are free of stress, and another size strains them all: the run ended
/// with a jump of the balance.
TEST(ForwardRun, KinksOfDampingAreNoJumps) {
  const std::string bar = R"({"time": {"step": 0.004, "duration": 0.024, "integrator": "bdf2"},
    "bodies": [{"name": "bar", "generator": {"kind": "box", "size": [0.2, 0.1, 0.1], "resolution": [3, 1, 1]},
      "order": 1, "linear_velocity": [0.8, 0, 0.3],
      "material": {"youngs_modulus": 2e5, "poisson_ratio": 0.35, "density": 900, "damping": 2e-3},
      "motions": [{"region": {"box": [[-0.01, -0.01, -0.01], [0.01, 1.01, 1.01]], "frame": "body"}}]}],
    "output": {"probes": [{"name": "bar", "body": "bar"}]}})";
  expect_differences(bar, {"bodies[0].generator.size[0]"}, 1e-2);
}

/// Areas and moduli of a surface at rest, and distances of gcp, are numbers of contact like any other.
TEST(ForwardRun, ContactAtRestIsHeld) {
  const std::string block = R"({"time": {"step": 0.01, "duration": 0.02, "integrator": "quasi_static"},
    "contact": {"formulation": "convergent"},
    "bodies": [{"name": "block", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]},
      "transform": {"translation": [0, 0.0502, 0]}, "material": {"youngs_modulus": 1e5}}],
    "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],
    "output": {"probes": [{"name": "block", "body": "block"}]}})";
  const SceneMaker make = maker(block);
  const Result<HeldContact> held = find_held_contact(make, {});
  ASSERT_TRUE(held);
  ASSERT_NE(held->at_rest, nullptr);
  const Parameter modulus{"bodies[0].material.youngs_modulus", 1e5, {}, {}, 0};
  const auto variant = make_variant(make, modulus, 2e5, *held);
  ASSERT_TRUE(variant);
  EXPECT_EQ((*variant)->scene->model.contact_at_rest, held->at_rest);
}

/// Steps of statics have options of their own, with narrowed gaps, that steps beside them need after their solve.
TEST(ForwardRun, OptionsOfANarrowedStepOutliveItsSolve) {
  const std::string block = R"({"time": {"step": 1, "duration": 1, "integrator": "quasi_static"},
    "friction": {"coefficient": 0.5},
    "bodies": [{"name": "block", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]},
      "transform": {"translation": [0, 0.0502, 0], "rotation": [0, 10, 0]}, "material": {"youngs_modulus": 1e5},
      "loads": [{"kind": "force", "value": [1, -20, 0]}]}],
    "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],
    "output": {"probes": [{"name": "block", "body": "block"}]}})";
  const std::vector<std::string> by{"bodies[0].material.youngs_modulus", "bodies[0].loads[0].value[1]"};
  expect_differences(block, by, 1e-6);
}

TEST(ForwardRun, ImpactsAreToldByName) {
  const std::string bounce = R"({"time": {"step": 0.01, "duration": 0.6}, "contact": {"restitution": 0.7},
    "bodies": [{"name": "ball", "kind": "rigid", "generator": {"kind": "sphere", "size": [0.1], "exact": true},
      "transform": {"translation": [0, 0.6, 0]}}],
    "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],
    "output": {"probes": [{"name": "ball", "body": "ball"}]}})";
  const Gradient gradient = gradient_of(bounce, {"bodies[0].transform.translation[1]"});
  const bool is_told = std::any_of(gradient.warnings.begin(), gradient.warnings.end(),
                                   [](const Issue& w) { return w.place == "impact_time_not_differentiated"; });
  EXPECT_TRUE(is_told);
}

/// Two rigid boxes that rest on each other and on the ground.
std::string stacked_boxes(const std::string& turn) {
  const auto box = [](const std::string& name, const std::string& height, const std::string& rotation) {
    return R"({"name": ")" + name +
           R"(", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]},
      "transform": {"translation": [0, )" +
           height + R"(, 0], "rotation": [0, )" + rotation + R"(, 0]}})";
  };
  return R"({"time": {"step": 0.01, "duration": 0.02, "integrator": "implicit_euler"}, "friction": {"coefficient": 0.3},
    "bodies": [)" +
         box("lower", "0.0505", "0") + ", " + box("upper", "0.151", turn) + R"(],
    "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],
    "output": {"probes": [{"name": "upper", "body": "upper"}]}})";
}

/// Derivatives by a sideways push were off by 4e-3 without a word where edges stand exactly above edges; closest
/// features change there, and the closed forms of contact and friction have the slope of neither side.
TEST(ForwardRun, EdgesExactlyAboveEdgesAreToldAsKinks) {
  const GradientOptions options{{"gravity[2]", "gravity[1]"}, {"upper.z", "upper.y"}, 0, {}, {}};
  const Gradient straight = gradient_of(stacked_boxes("0"), options.parameters, options.columns);
  std::vector<std::string> told;
  for (const Issue& warning : straight.warnings) {
    if (warning.place == "at_kink") told.push_back(warning.value);
  }
  EXPECT_EQ(told, std::vector<std::string>{"gravity[2]"}) << "a push from above crosses no kink";
  for (const CheckedDerivative& check : check_gradient(maker(stacked_boxes("0")), options, straight)) {
    const double error = std::abs(check.derivative - check.difference);
    const bool is_push = check.column == 0 && check.parameter == 0, is_load = check.column == 1 && check.parameter == 1;
    if (is_push) {
      EXPECT_GT(error, 1e-3 * std::abs(check.difference));
    } else if (is_load) {
      EXPECT_LT(error, 1e-7 * std::abs(check.difference));
    }
  }
  const Gradient turned = gradient_of(stacked_boxes("10"), options.parameters, options.columns);
  for (const Issue& warning : turned.warnings) EXPECT_NE(warning.place, "at_kink");
}

/// Steps whose friction lags behind the contact forces end in a balance that is not the one looked for.
TEST(ForwardRun, StepsWhoseFrictionLagsBehindArePolished) {
  const SceneMaker make = maker(R"({"time": {"step": 0.01, "duration": 0.2, "integrator": "implicit_euler"},
    "gravity": [4, -9, 0], "friction": {"coefficient": 0.2}, "half_spaces": [{"point": [0, -0.0501, 0], "normal": [0, 1, 0]}],
    "bodies": [{"name": "block", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]},
      "material": {"youngs_modulus": 1e5}}]})");
  SteppedScene agreed, lagged;
  ASSERT_TRUE(start_scene(*make({}), agreed));
  ASSERT_TRUE(start_scene(*make({}), lagged));
  lagged.scene->options.friction.max_iterations = 1;
  NearbySteps<3> of_agreed(agreed, make), of_lagged(lagged, make);
  StepWorkspace<3> workspace(lagged.scene->model, lagged.scene->options);
  int num_lagging = 0;
  for (int step = 1; step <= 20; ++step) {
    State start = lagged.state;
    const Result<PrescribedTargets> targets = find_targets(*lagged.scene, start);
    ASSERT_TRUE(targets);
    const StepStatus status = solve<3>(lagged.scene->model, lagged.scene->options, *targets, start, workspace).status();
    num_lagging += status == StepStatus::friction_lag_limit ? 1 : 0;
    ASSERT_TRUE(of_agreed.solve()) << of_agreed.failure();
    ASSERT_TRUE(of_lagged.solve()) << of_lagged.failure();
    EXPECT_LT((of_agreed.tangent().x() - of_lagged.tangent().x()).norm(), 1e-13) << "step " << step;
    agreed.state = of_agreed.end();
    lagged.state = of_lagged.end();
  }
  EXPECT_GT(num_lagging, 0) << "no step lags";
}

}  // namespace
}  // namespace clearance::derivatives
