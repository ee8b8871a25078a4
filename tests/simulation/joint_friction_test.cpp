// Dry friction and armatures of joints in motion, beside closed forms.
#include <fmt/format.h>

#include <cmath>

#include "simulation/stiff_scene.h"

namespace clearance {
namespace {

constexpr double g = 9.80665;

/// Returns a scene with a bar of 1 m along x that hangs at its end on a hinge about z, and turns about it.
std::string bar(const Case& with, const std::string& joint, const std::string& more = "", double h = 0.005,
                const std::string& rest = "") {
  return fmt::format(
      R"({{"time": {{"step": {}, "integrator": "{}"}}, "solver": {{"force_tolerance": 1e-7}},
          "contact": {{"enabled": false}},
          "bodies": [{{"name": "bar", "kind": "{}", "mass": 2,
                       "generator": {{"kind": "box", "size": [1, 0.1, 0.1], "resolution": [1, 1, 1]}},
                       "transform": {{"translation": [0.5, 0, 0]}}{}}}],
          "joints": [{{"name": "axle", "kind": "hinge", "bodies": ["bar", ""], "point": [0, 0, 0],
                       "axis": [0, 0, 1]{}}}],
          "output": {{"probes": [{{"name": "axle", "kind": "joint", "joint": "axle"}}]}}{}}})",
      h, with.integrator, with.kind, more, joint, rest);
}

double angle_of(RunningScene& scene) {
  return scene.simulation().probe_values().at(0) * pi / 180.0;
}

/// Returns the moment of inertia about the hinge.
double inertia_of(const StiffScene& scene) {
  return scene.inertia(0, Vec<3>::UnitZ()) + 0.25 * scene.unit_mass(0);
}

class JointDynamics : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Integrators, JointDynamics, testing::ValuesIn(all_cases()),
                         [](const auto& test) { return test.param.kind + "_" + test.param.integrator; });

TEST_P(JointDynamics, FrictionAboveTheTorqueHoldsWithoutCreep) {
  // The weight has a torque of 2 kg g 0.5 m = 9.8 N m about the hinge.
  StiffScene scene(bar(GetParam(), R"(, "friction": 12)"));
  scene.steps(40);
  const double early = angle_of(scene);
  scene.steps(400);
  // Newmark's method damps nothing: there the joint swings elastically about where it is held.
  const bool is_damped = GetParam().integrator != "implicit_newmark";
  EXPECT_LT(std::abs(early), is_damped ? 1.1e-4 : 5e-4);
  EXPECT_NEAR(angle_of(scene), early, is_damped ? 1e-7 : 2e-4);
}

TEST_P(JointDynamics, FrictionBelowTheTorqueLetsItFall) {
  StiffScene scene(bar(GetParam(), R"(, "friction": 6)"));
  scene.steps(20);
  // The acceleration at the start is (m g l - friction) / I; the angle grows by half of it times the square of time.
  const double acceleration = (2.0 * g * 0.5 - 6.0) / inertia_of(scene);
  const double h = 0.005, time = 20 * h;
  double slip = 0.5 * acceleration * time * time;
  // Newmark's method takes half of the first step's friction from its start, where nothing rubs yet.
  if (GetParam().integrator == "implicit_newmark") slip += 0.5 * h * 6.0 / inertia_of(scene) * time;
  const double tolerance = GetParam().integrator == "implicit_euler" ? 0.06 : 0.03;
  EXPECT_NEAR(-angle_of(scene), slip, tolerance * slip);
}

TEST_P(JointDynamics, FrictionSlowsATurnEvenly) {
  // Without gravity a bar at 2 rad/s has turned by I w^2 / (2 M) when friction of the moment M has stopped it.
  const std::string spin = R"(, "angular_velocity": [0, 0, 114.59155902616465], "linear_velocity": [0, 1, 0])";
  StiffScene scene(bar(GetParam(), R"(, "friction": 3)", spin, 0.002, R"(, "gravity": [0, 0, 0])"));
  const double inertia = inertia_of(scene), stop = inertia * 2.0 / 3.0, way = 0.5 * inertia * 4.0 / 3.0;
  const int half = static_cast<int>(0.5 * stop / 0.002);
  scene.steps(half);
  EXPECT_NEAR(scene.spin(0)[2], 2.0 - 3.0 / inertia * half * 0.002, 0.02);
  scene.steps(half + 100);
  EXPECT_NEAR(angle_of(scene), way, 0.01 * way);
  const double there = angle_of(scene);
  scene.steps(100);
  EXPECT_NEAR(angle_of(scene), there, 2e-4);
}

TEST_P(JointDynamics, ArmatureLengthensThePeriod) {
  // The bar hangs down, and gravity along x pulls it back from 0.05 rad: a swing of the period 2 pi sqrt((I + a) / m g
  // l).
  StiffScene scene(bar(GetParam(), R"(, "armature": 1.5)",
                       R"(, "angular_velocity": [0, 0, 5], "linear_velocity": [0, 0.04363323129985824, 0])", 0.005,
                       R"(, "gravity": [9.80665, 0, 0])"));
  const double inertia = inertia_of(scene) + 1.5, period = 2.0 * pi * std::sqrt(inertia / (2.0 * g * 0.5));
  std::vector<double> passes;
  double last = 0.0, most = 0.0;
  for (int n = 1; n <= 1300; ++n) {
    scene.step();
    const double now = angle_of(scene);
    if (last * now < 0.0) passes.push_back(0.005 * (n - now / (now - last)));
    most = std::max(most, std::abs(now));
    last = now;
  }
  ASSERT_GE(passes.size(), 3U);
  EXPECT_NEAR(passes[2] - passes[0], period, 2e-3 * period);
  // The amplitude is rate / frequency.
  const double amplitude = 5.0 * pi / 180.0 * period / (2.0 * pi);
  EXPECT_NEAR(most, amplitude, (GetParam().integrator == "implicit_euler" ? 0.02 : 2e-3) * amplitude);
}

// The velocities of a body that turns by 0.1 rad a step are a hundredth off. A rotor that follows them would speed up
// from 10 to 72 rad/s in 5 s.
TEST_P(JointDynamics, ArmatureNeitherDrivesNorBrakesWhatTurnsFreely) {
  // Newmark's method does not damp the stiff hinge, which drives the bar with and without a rotor.
  if (GetParam().integrator == "implicit_newmark") return;
  for (const double armature : {0.0, 0.3, 30.0}) {
    StiffScene scene(bar(GetParam(), fmt::format(R"(, "armature": {})", armature),
                         R"(, "angular_velocity": [0, 0, 572.9577951308232], "linear_velocity": [0, 5, 0])", 0.01,
                         R"(, "gravity": [0, 0, 0])"));
    scene.step();
    const double start = scene.spin(0)[2];
    double most = start;
    for (int n = 0; n < 300; ++n) {
      scene.step();
      most = std::max(most, scene.spin(0)[2]);
    }
    EXPECT_LT(most, 1.01 * start) << armature;
    if (GetParam().integrator != "implicit_euler") {
      EXPECT_GT(scene.spin(0)[2], 0.96 * start) << armature;
    }
  }
}

TEST_P(JointDynamics, AccountOfEnergyClosesWithRotorAndFriction) {
  StiffScene scene(bar(GetParam(), R"(, "armature": 1.5, "friction": 2)"));
  double kinetic = 0.0, friction = 0.0, released = 0.0;
  StepReport report;
  for (int n = 0; n < 100; ++n) {
    report = scene.step();
    EXPECT_NEAR(report.account.closure(), 0.0, 1e-9);
    kinetic += report.account.kinetic;
    friction += report.account.damping;
    released -= report.account.stored;
  }
  // The kinetic energy is that of bar and rotor.
  EXPECT_NEAR(kinetic, energy_term(report, "kinetic"), 1e-9);
  const double rate = scene.spin(0)[2], expected = 0.5 * (inertia_of(scene) + 1.5) * rate * rate;
  EXPECT_NEAR(kinetic, expected, 1e-3 * expected);
  EXPECT_NEAR(friction, 2.0 * std::abs(angle_of(scene)), 0.01 * friction);
  EXPECT_NEAR(released, kinetic + friction, (GetParam().integrator == "implicit_euler" ? 0.05 : 0.01) * released);
  EXPECT_LT(report.gained.share, 0.01);
}

TEST(JointFriction, SlidersBrakeAsBlocksDo) {
  // A block of 2 kg at 3 m/s is stopped by 4 N after m v^2 / 8 N = 2.25 m; a rotor of 2 kg doubles that.
  for (const double armature : {0.0, 2.0}) {
    RunningScene scene(fmt::format(
        R"({{"gravity": [0, 0, 0], "time": {{"step": 0.005}}, "contact": {{"enabled": false}},
            "bodies": [{{"name": "block", "kind": "rigid", "mass": 2, "linear_velocity": [3, 0, 0],
                         "generator": {{"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [1, 1, 1]}}}}],
            "joints": [{{"name": "rail", "kind": "slider", "bodies": ["block", ""], "axis": [1, 0, 0], "friction": 4,
                         "armature": {}}}],
            "output": {{"probes": [{{"name": "rail", "kind": "joint", "joint": "rail"}}]}}}})",
        armature));
    scene.steps(700);
    const double way = (2.0 + armature) * 9.0 / 8.0;
    EXPECT_NEAR(scene.simulation().probe_values().at(0), way, 0.01 * way) << armature;
    EXPECT_LT(scene.v(0).norm(), 1e-6);
  }
}

TEST(JointFriction, StateHoldsItsMemory) {
  const std::string scene = bar({"rigid", "bdf2_restarted"}, R"(, "friction": 12, "armature": 0.4)");
  RunningScene whole(scene), first(scene), second(scene);
  whole.steps(30);
  first.steps(15);
  ASSERT_TRUE(second.simulation().restore(first.state()));
  second.steps(15);
  EXPECT_EQ(whole.simulation().state_hash(), second.simulation().state_hash());
}

}  // namespace
}  // namespace clearance
