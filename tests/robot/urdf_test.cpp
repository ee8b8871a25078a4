// URDF files as scenes, and the motion of these scenes: known answers of physics.
#include <gtest/gtest.h>

#include <cmath>

#include "clearance/geometry/mass_properties.h"
#include "clearance/simulation/simulation.h"
#include "robot_file.h"
#include "support/paths.h"

namespace clearance {
namespace {

constexpr double pi = 3.14159265358979323846, g = 9.80665;

std::string example(const std::string& name) {
  return source_folder() / "examples/robots" / name;
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

/// Returns a function that reads a joint from the probes' columns.
std::function<double(const Simulation&)> probe_of(SceneDesc& scene, const std::string& joint) {
  ProbeDesc probe;
  probe.name = joint;
  probe.kind = ProbeKind::joint;
  probe.joint = joint;
  scene.output.probes = {probe};
  return [](const Simulation& simulation) { return simulation.probe_values().at(0); };
}

/// Returns a link of 2 kg and 0.03 kg m^2 about its middle that hangs 0.4 m below a hinge, or slides, with other words.
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
  // The shoulder is at z = 0.2, the elbow 0.4 above it.
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
  // The robot rolls: 4 torques over the radius move the mass and the turning parts: a = 4 T / r / (m + 4 I / r^2).
  const double r = 0.075, a = 4 * 0.3 / r / (15.2 + 4 * 0.0023 / (r * r));
  const double x = simulation.pose(0)->coeff(0, 3);
  EXPECT_NEAR(x, 0.5 * a * 0.5 * 0.5, 0.05 * 0.5 * a * 0.25);
}

TEST(Urdf, GripperCouplesItsFingersAndStandsInTheWorld) {
  SKIP_WITHOUT("urdf");
  Robot gripper = read_example("gripper.urdf");
  EXPECT_EQ(gripper.told.find("mimic"), std::string::npos) << gripper.told;
  EXPECT_EQ(gripper.told.find("dry friction"), std::string::npos) << gripper.told;
  EXPECT_EQ(gripper.joint("left").friction, 0.1);
  EXPECT_EQ(gripper.body("palm").kind, BodyKind::obstacle);
  EXPECT_EQ(gripper.joint("left").kind, JointKind::slider);
  EXPECT_EQ(gripper.joint("left").upper, 0.045);
  ASSERT_TRUE(gripper.joint("right").mimic);
  EXPECT_EQ(gripper.joint("right").mimic->joint, "left");
  EXPECT_EQ(gripper.joint("right").mimic->multiplier, 1.0);
  const auto right = probe_of(gripper.scene, "right");
  Simulation simulation = simulate(gripper.scene);
  ASSERT_TRUE(simulation.set_control("left", 5.0));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(simulation.step().status, StepStatus::converged);
  EXPECT_NEAR(right(simulation), 0.045, 5e-5);
}

/// Returns links a, b and c on joints of their names, along x of the world, with other words in each joint.
std::string three_links(const std::array<std::string, 3>& types, const std::array<std::string, 3>& words) {
  std::string text = "<robot name='three'><link name='world'/>";
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    text += "<link name='l" + name +
            "'><inertial><mass value='1'/><inertia ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.01'/>"
            "</inertial></link><joint name='" +
            name + "' type='" + types[i] + "'><parent link='world'/><child link='l" + name + "'/><origin xyz='0 " +
            std::to_string(i) + " 0'/><axis xyz='1 0 0'/>" + words[i] + "</joint>";
  }
  return text + "</robot>";
}
const std::string wide = "<limit lower='-9' upper='9' effort='10' velocity='9'/>";
std::string follows(const std::string& joint, const std::string& multiplier, const std::string& offset = "0") {
  return "<mimic joint='" + joint + "' multiplier='" + multiplier + "' offset='" + offset + "'/>";
}

TEST(Urdf, MimicCouplesJointsOfAllKindsAndChains) {
  SKIP_WITHOUT("urdf");
  const Robot robot = read_robot_text(
      three_links({"prismatic", "revolute", "continuous"}, {wide, wide + follows("a", "10"), follows("b", "-2")}),
      "chain.urdf");
  EXPECT_EQ(robot.joint("b").mimic->joint, "a");
  EXPECT_NEAR(robot.joint("b").mimic->multiplier, 10.0 * 180.0 / pi, 1e-9);  // degrees a metre
  EXPECT_EQ(robot.joint("c").mimic->joint, "b");
  EXPECT_EQ(robot.joint("c").mimic->multiplier, -2.0);
}

TEST(Urdf, MimicLeadsJointsOfEveryKindWhereItSays) {
  SKIP_WITHOUT("urdf");
  struct Case {
    std::string kind_of_leader, kind, multiplier;
    std::string drive;  // of the leader [m or degrees]
    double expected;    // of the follower after one second [m or degrees]
  };
  for (const Case& c :
       {Case{"revolute", "revolute", "2.5", "60 * t", 150.0}, Case{"revolute", "revolute", "-1.5", "60 * t", -90.0},
        Case{"continuous", "continuous", "-4", "200 * t", -800.0},
        Case{"revolute", "prismatic", "0.05", "360 * t", 0.1 * pi},
        Case{"prismatic", "revolute", "20", "0.1 * t", 360.0 / pi},
        Case{"prismatic", "prismatic", "-0.5", "0.1 * t", -0.05}, Case{"revolute", "revolute", "0", "60 * t", 0.0}}) {
    SCOPED_TRACE(c.kind_of_leader + " " + c.kind + " " + c.multiplier);
    // The follower comes before its leader and another follower of the same leader in the file.
    Robot robot =
        read_robot_text(three_links({c.kind, c.kind, c.kind_of_leader},
                                    {wide + follows("c", c.multiplier), wide + follows("c", c.multiplier), wide}),
                        "mimic.urdf");
    robot.scene.gravity.setZero();
    for (JointDesc& joint : robot.scene.joints) {
      if (joint.name != "c") continue;
      joint.drive = c.drive;
      joint.effort.clear();
      joint.lower.reset();
      joint.upper.reset();
    }
    const double size = std::max(std::abs(c.expected), 1e-3);
    for (const std::string follower : {"a", "b"}) {
      const auto way = probe_of(robot.scene, follower);
      Simulation simulation = simulate(robot.scene);
      while (simulation.time() < 1.0 - 1e-9) ASSERT_EQ(simulation.step().status, StepStatus::converged);
      EXPECT_NEAR(way(simulation), c.expected, 1e-5 * size) << follower;
    }
  }
}

TEST(Urdf, LimitsOfEveryFormHold) {
  SKIP_WITHOUT("urdf");
  const auto limits = [](const std::string& type, double lower, double upper) {
    const Robot robot =
        read_robot_text(three_links({type, type, type}, {"<limit lower='" + std::to_string(lower) + "' upper='" +
                                                             std::to_string(upper) + "' effort='10' velocity='9'/>",
                                                         wide, wide}),
                        "limits.urdf");
    const JointDesc& joint = robot.joint("a");
    return std::pair(joint.lower.value_or(infinity), joint.upper.value_or(infinity));
  };
  const double degrees = 180.0 / pi;
  for (const auto& [lower, upper] : {std::pair(-8.0, 9.0), std::pair(0.0, 0.0), std::pair(-0.001, 0.0),
                                     std::pair(0.0, 12.5), std::pair(-20.0, 3.25)}) {
    const auto hinge = limits("revolute", lower, upper), slider = limits("prismatic", lower, upper);
    EXPECT_NEAR(hinge.first, lower * degrees, 1e-9);
    EXPECT_NEAR(hinge.second, upper * degrees, 1e-9);
    EXPECT_NEAR(slider.first, lower, 1e-12);
    EXPECT_NEAR(slider.second, upper, 1e-12);
  }
  for (const std::string type : {"revolute", "prismatic"}) {
    EXPECT_NE(refusal_of(three_links({type, type, type},
                                     {"<limit lower='1' upper='-1' effort='1' velocity='1'/>", wide, wide}),
                         "swapped.urdf")
                  .find("the lower limit is above the upper one"),
              std::string::npos);
  }
}

TEST(Urdf, MimicWithAnOffsetStartsWhereItsLeaderPutsIt) {
  SKIP_WITHOUT("urdf");
  const Robot robot =
      read_robot_text(three_links({"prismatic", "prismatic", "revolute"},
                                  {wide, wide + follows("a", "2", "0.25"), wide + follows("b", "2", "0.5")}),
                      "offsets.urdf");
  EXPECT_NE(robot.told.find("joints start where those that they follow (mimic) lead them: b at 0.25 m, c at 1 rad"),
            std::string::npos)
      << robot.told;
  EXPECT_EQ(robot.joint("b").mimic->offset, 0.0);
  EXPECT_NEAR(*robot.joint("b").upper, 9.0 - 0.25, 1e-12);
  EXPECT_NEAR(robot.body("lb").transform.translation[0], 0.25, 1e-9);
  EXPECT_NEAR(*robot.joint("c").lower, (-9.0 - 1.0) * 180.0 / pi, 1e-9);
}

TEST(Urdf, MimicOfNoJointOfItselfAndInALoopAreErrors) {
  SKIP_WITHOUT("urdf");
  const std::array<std::string, 3> types = {"prismatic", "prismatic", "prismatic"};
  const auto refusal = [&](const std::string& a, const std::string& b, const std::string& c) {
    return refusal_of(three_links(types, {wide + a, wide + b, wide + c}), "bad.urdf");
  };
  EXPECT_NE(refusal("", follows("nothere", "1"), "")
                .find("joint 'b': mimic: the model has no joint of this name (got \"nothere\")"),
            std::string::npos)
      << refusal("", follows("nothere", "1"), "");
  EXPECT_NE(refusal("", follows("b", "1"), "").find("joint 'b': mimic: a joint cannot follow itself"),
            std::string::npos);
  const std::string loop = refusal(follows("b", "1"), follows("c", "1"), follows("a", "1"));
  EXPECT_NE(loop.find("joint 'a': mimic: the joint follows itself by way of 'b', 'c'"), std::string::npos) << loop;
  EXPECT_EQ(loop.find("joint 'b': mimic"), std::string::npos) << loop;
}

TEST(Urdf, HingeLimitsBeyondHalfATurnAreKept) {
  SKIP_WITHOUT("urdf");
  const Robot robot = read_robot_text(
      one_link("type='revolute'><limit lower='-3.5' upper='20' effort='9' velocity='9'/>"), "wide.urdf");
  EXPECT_NEAR(*robot.joint("j").lower, -3.5 * 180.0 / pi, 1e-9);
  EXPECT_NEAR(*robot.joint("j").upper, 20.0 * 180.0 / pi, 1e-9);
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
  // Find the time of the second passage through zero, half a swing after the start.
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

/// Volume that the triangles enclose [m^3], negative if they point inwards.
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
