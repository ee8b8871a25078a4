// URDF files as scenes, and what they then do: known answers of physics.
#include <gtest/gtest.h>

#include <cmath>

#include "clearance/geometry/mass_properties.h"
#include "clearance/simulation/simulation.h"
#include "robot_file.h"

namespace clearance {
namespace {

constexpr double pi = 3.14159265358979323846, g = 9.80665;

std::string example(const std::string& name) {
  return CLEARANCE_SOURCE_DIR "/examples/robots/" + name;
}

Robot read_example(const std::string& name) {
  const Result<LoadedScene> loaded = load_scene(example(name));
  if (!loaded) throw std::runtime_error(messages_of(loaded.issues()));
  return {loaded->scene, messages_of(loaded->warnings)};
}

Simulation simulate(const SceneDesc& scene) {
  Result<Simulation> simulation = Simulation::create(scene);
  if (!simulation) throw std::runtime_error(messages_of(simulation.issues()));
  return std::move(*simulation);
}

/// A joint by the probes' columns.
std::function<double(const Simulation&)> probe_of(SceneDesc& scene, const std::string& joint) {
  ProbeDesc probe;
  probe.name = joint;
  probe.kind = ProbeKind::joint;
  probe.joint = joint;
  scene.output.probes = {probe};
  return [](const Simulation& simulation) { return simulation.probe_values().at(0); };
}

/// A link of 2 kg and 0.03 kg m^2 about its middle hangs 0.4 m below a hinge; or slides, with other words.
std::string one_link(const std::string& joint) {
  return "<robot name='one'><link name='world'/><link name='link'><inertial><origin xyz='0 0 -0.4'/><mass value='2'/>"
         "<inertia ixx='0.03' ixy='0' ixz='0' iyy='0.03' iyz='0' izz='0.01'/></inertial><collision>"
         "<origin xyz='0 0 -0.4'/><geometry><box size='0.05 0.05 0.2'/></geometry></collision></link>"
         "<joint name='j' " +
         joint + "<parent link='world'/><child link='link'/><axis xyz='0 1 0'/></joint></robot>";
}

TEST(Urdf, ArmHasItsLinksJointsLimitsAndControls) {
  SKIP_WITHOUT("urdf");
  const Robot arm = read_example("arm.urdf");
  ASSERT_EQ(arm.scene.bodies.size(), 4U) << arm.told;
  EXPECT_EQ(arm.scene.bodies[0].kind, BodyKind::obstacle);  // the world with the base
  EXPECT_EQ(arm.body("forearm").mass, 1.0);
  // Shoulder at z = 0.2, elbow 0.4 above it.
  EXPECT_LT((arm.joint("elbow").point - Vec<3>(0, 0.6, 0)).norm(), 1e-12);
  EXPECT_LT((arm.joint("elbow").axis - Vec<3>(0, 0, -1)).norm(), 1e-12);
  EXPECT_NEAR(*arm.joint("elbow").upper, 2.0 * 180.0 / pi, 1e-9);
  EXPECT_EQ(arm.joint("elbow").damping, 0.1);
  EXPECT_EQ(arm.joint("elbow").effort, "min(max(elbow, -30), 30)");
  EXPECT_EQ(arm.joint("turn").bodies[1], "");
  ASSERT_EQ(arm.scene.controls.size(), 3U);
  EXPECT_NE(arm.told.find("not carried over: 3 limits of the speed of joints (turn, shoulder, elbow)"),
            std::string::npos)
      << arm.told;
  EXPECT_TRUE(Simulation::create(arm.scene));
}

TEST(Urdf, CarIsFreeAndItsWheelsTurn) {
  SKIP_WITHOUT("urdf");
  Robot car = read_example("car.urdf");
  EXPECT_NE(car.told.find("the root link 'chassis' is free"), std::string::npos) << car.told;
  EXPECT_FALSE(car.joint("rear_left").lower);
  car.scene.gravity.setZero();
  Simulation simulation = simulate(car.scene);
  double mass = 0.0;
  for (const BodyFacts& facts : simulation.body_facts()) mass += facts.mass;
  EXPECT_NEAR(mass, 12.0 + 4 * 0.8, 1e-12);
}

TEST(Urdf, CarDrivesAsFastAsItsTorquesAndInertiasSay) {
  SKIP_WITHOUT("urdf");
  Robot car = read_example("car.urdf");
  car.scene.half_spaces = {{.point = Vec<3>(0, -0.1152, 0)}};
  car.scene.friction.coefficient = 1.0;
  Simulation simulation = simulate(car.scene);
  for (const ControlDesc& control : car.scene.controls) ASSERT_TRUE(simulation.set_control(control.name, 0.3));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(simulation.step().status, StepStatus::converged);
  // Rolling: 4 torques over the radius move the mass and what turns: a = 4 T / r / (m + 4 I / r^2).
  const double r = 0.075, a = 4 * 0.3 / r / (15.2 + 4 * 0.0023 / (r * r));
  const double x = simulation.pose(0)->coeff(0, 3);
  EXPECT_NEAR(x, 0.5 * a * 0.5 * 0.5, 0.05 * 0.5 * a * 0.25);
}

TEST(Urdf, GripperTellsOfItsCouplingAndStandsInTheWorld) {
  SKIP_WITHOUT("urdf");
  const Robot gripper = read_example("gripper.urdf");
  EXPECT_NE(gripper.told.find("not carried over: 1 couplings of joints (mimic), which leave them free "
                              "(right = 1 left + 0)"),
            std::string::npos)
      << gripper.told;
  EXPECT_NE(gripper.told.find("not carried over: 1 dry frictions of joints (left)"), std::string::npos);
  EXPECT_EQ(gripper.body("palm").kind, BodyKind::obstacle);
  EXPECT_EQ(gripper.joint("left").kind, JointKind::slider);
  EXPECT_EQ(gripper.joint("left").upper, 0.045);
}

TEST(Urdf, GripperStopsAtTheLimitOfItsSlide) {
  SKIP_WITHOUT("urdf");
  Robot gripper = read_example("gripper.urdf");
  const auto offset = probe_of(gripper.scene, "left");
  Simulation simulation = simulate(gripper.scene);
  ASSERT_TRUE(simulation.set_control("left", 5.0));
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(simulation.step().status, StepStatus::converged);
    EXPECT_LT(offset(simulation), 0.045);
  }
  EXPECT_GT(offset(simulation), 0.0445);
}

TEST(Urdf, PendulumHasThePeriodOfItsMassAndInertia) {
  SKIP_WITHOUT("urdf");
  Robot pendulum = read_robot_text(one_link("type='continuous'>"), "pendulum.urdf");
  pendulum.scene.time.step = 0.002;
  pendulum.scene.bodies[0].angular_velocity = {0, 0, 10};  // [deg/s]: a swing of some degrees
  // (Both the turn and the motion of the centre, 0.4 m below the hinge.)
  pendulum.scene.bodies[0].linear_velocity = {10 * pi / 180 * 0.4, 0, 0};
  const auto angle = probe_of(pendulum.scene, "j");
  Simulation simulation = simulate(pendulum.scene);
  const double inertia = 0.03 + 2 * 0.4 * 0.4, period = 2 * pi * std::sqrt(inertia / (2 * g * 0.4));
  // The time of the second passage through zero, half a swing after the start.
  double before = 0.0, passage = 0.0;
  for (int i = 0; i < 600 && passage == 0.0; ++i) {
    ASSERT_EQ(simulation.step().status, StepStatus::converged);
    const double now = angle(simulation);
    if (i > 5 && before * now < 0.0) passage = simulation.time() - 0.002 * now / (now - before);
    before = now;
  }
  EXPECT_NEAR(2 * passage, period, 2e-3 * period);
}

TEST(Urdf, MotorAcceleratesAHingeByTorqueOverInertia) {
  SKIP_WITHOUT("urdf");
  Robot motor = read_robot_text(one_link("type='continuous'>"), "motor.urdf");
  motor.scene.gravity.setZero();
  const auto angle = probe_of(motor.scene, "j");
  Simulation simulation = simulate(motor.scene);
  ASSERT_TRUE(simulation.set_control("j", 1.5));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(simulation.step().status, StepStatus::converged);
  const double expected = 0.5 * 1.5 / (0.03 + 2 * 0.4 * 0.4) * 0.5 * 0.5 * 180 / pi;
  // (The first step is one of implicit Euler: half a step too far.)
  EXPECT_NEAR(angle(simulation), expected, 0.015 * expected);
}

TEST(Urdf, EffortIsLimited) {
  SKIP_WITHOUT("urdf");
  const std::string limited = "type='revolute'><limit lower='-3' upper='3' effort='0.5' velocity='0'/>";
  Robot motor = read_robot_text(one_link(limited), "limited.urdf");
  motor.scene.gravity.setZero();
  const auto angle = probe_of(motor.scene, "j");
  Simulation simulation = simulate(motor.scene);
  ASSERT_TRUE(simulation.set_control("j", 100.0));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(simulation.step().status, StepStatus::converged);
  const double expected = 0.5 * 0.5 / (0.03 + 2 * 0.4 * 0.4) * 0.5 * 0.5 * 180 / pi;
  EXPECT_NEAR(angle(simulation), expected, 0.015 * expected);
}

TEST(Urdf, HingeStopsAtItsLimit) {
  SKIP_WITHOUT("urdf");
  const std::string limited = "type='revolute'><limit lower='-0.5' upper='0.25' effort='50' velocity='0'/>";
  Robot hinge = read_robot_text(one_link(limited), "hinge.urdf");
  const auto angle = probe_of(hinge.scene, "j");
  Simulation simulation = simulate(hinge.scene);
  ASSERT_TRUE(simulation.set_control("j", 10.0));
  double largest = 0.0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(simulation.step().status, StepStatus::converged);
    largest = std::max(largest, angle(simulation));
  }
  EXPECT_LT(largest, 0.25 * 180 / pi);
  EXPECT_GT(angle(simulation), 0.25 * 180 / pi - 1.0);  // limits push back within the last degree
}

TEST(Urdf, MeshesOfPackagesAreFoundAboveTheModel) {
  SKIP_WITHOUT("urdf");
  const auto folder = test_folder() / "my_robot";
  std::filesystem::create_directories(folder / "meshes");
  std::filesystem::create_directories(folder / "urdf");
  write_file(folder / "meshes" / "tet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const auto model = [&](const std::string& file) {
    return write_file(folder / "urdf" / "r.urdf",
                      "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' "
                      "iyy='1' iyz='0' izz='1'/></inertial><collision><geometry><mesh filename='" +
                          file + "' scale='2 2 2'/></geometry></collision></link></robot>");
  };
  const Result<LoadedScene> loaded = load_scene(model("package://my_robot/meshes/tet.obj"));
  ASSERT_TRUE(loaded) << messages_of(loaded.issues());
  EXPECT_EQ(loaded->scene.bodies.at(0).geometry->vertices.at(1), Vec<3>(2, 0, 0));
  const Result<LoadedScene> missing = load_scene(model("package://my_robot/meshes/cube.obj"));
  ASSERT_FALSE(missing);
  EXPECT_NE(messages_of(missing.issues()).find("link 'a': there is no such mesh file"), std::string::npos)
      << messages_of(missing.issues());
}

/// [m^3] that the triangles enclose, negative if they point inwards.
double enclosed(const GeometryDesc& geometry) {
  return mass_properties_of_solid(geometry.vertices, geometry.triangles).measure;
}

TEST(Urdf, MirroredMeshesPointOutwardsWhateverElseTheirLinkHas) {
  SKIP_WITHOUT("urdf");
  const auto folder = test_folder();
  write_file(folder / "tet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const auto shape = [](const std::string& at, const std::string& scale) {
    return "<collision><origin xyz='" + at + "'/><geometry><mesh filename='tet.obj' scale='" + scale +
           "'/></geometry></collision>";
  };
  for (const std::string scale : {"-0.3 0.3 0.3", "0.3 -0.3 0.3", "-0.3 -0.3 -0.3", "-0.3 -0.3 0.3"}) {
    for (const std::string& other : {std::string(), shape("0 0 0", "1 1 1")}) {
      const auto file = write_file(folder / "r.urdf", "<robot name='r'><link name='w'/><link name='a'>" + other +
                                                          shape("0.9 0.6 0.6", scale) +
                                                          "</link><joint name='f' type='floating'><parent link='w'/>"
                                                          "<child link='a'/></joint></robot>");
      const Result<LoadedScene> loaded = load_scene(file);
      ASSERT_TRUE(loaded) << messages_of(loaded.issues());
      const double expected = (0.027 + (other.empty() ? 0.0 : 1.0)) / 6.0;
      EXPECT_NEAR(enclosed(*loaded->scene.bodies.back().geometry), expected, 1e-12) << scale;
    }
  }
}

TEST(Urdf, EveryProblemIsTold) {
  SKIP_WITHOUT("urdf");
  EXPECT_NE(refusal_of("<robot name='r'><link name='a'/><joint name='j' type='revolute'><parent link='a'/>"
                       "<child link='b'/></joint></robot>",
                       "bad.urdf"),
            "");
  const std::string text = refusal_of(
      "<robot name='r'><link name='a'><inertial><mass value='-1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
      "izz='1'/></inertial><collision><geometry><mesh filename='no.stl'/></geometry></collision></link></robot>",
      "two.urdf");
  EXPECT_NE(text.find("the mass must not be negative"), std::string::npos) << text;
  EXPECT_NE(text.find("there is no such mesh file"), std::string::npos) << text;
}

}  // namespace
}  // namespace clearance
