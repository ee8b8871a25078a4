// MJCF files as scenes, and the motion of these scenes.
#include <gtest/gtest.h>

#include <cmath>

#include "clearance/geometry/mass_properties.h"
#include "clearance/simulation/simulation.h"
#include "robot_file.h"

namespace clearance {
namespace {

constexpr double pi = 3.14159265358979323846;

std::string mjcf(const std::string& world, const std::string& rest = "") {
  return "<mujoco model='m'><option timestep='0.002'/><worldbody>" + world + "</worldbody>" + rest + "</mujoco>";
}

/// Returns a rod of 1 kg along x that turns about z at its end, without gravity: 1/3 kg m^2 about the hinge. A
/// capsule's ends would add to that, so that the inertia is given.
std::string rod(const std::string& joint, const std::string& rest = "") {
  return "<mujoco><option gravity='0 0 0'/><worldbody><body name='rod' pos='0 0 1'><inertial pos='0.5 0 0' mass='1' "
         "diaginertia='0.001 0.0833333333 0.0833333333'/><joint name='j' axis='0 0 1' " +
         joint + "/><geom type='capsule' fromto='0.1 0 0 0.9 0 0' size='0.03'/></body></worldbody>" + rest +
         "</mujoco>";
}
constexpr double rod_inertia = 0.0833333333 + 0.25;

Simulation simulate(const SceneDesc& scene) {
  Result<Simulation> simulation = Simulation::create(scene);
  if (!simulation) throw std::runtime_error(messages_of(simulation.issues()));
  return std::move(*simulation);
}

double angle_after(SceneDesc scene, double time, const std::string& control = "", double value = 0.0) {
  ProbeDesc probe;
  probe.name = probe.joint = "j";
  probe.kind = ProbeKind::joint;
  scene.output.probes = {probe};
  Simulation simulation = simulate(scene);
  if (!control.empty()) {
    EXPECT_TRUE(simulation.set_control(control, value));
  }
  while (simulation.time() < time - 1e-9) EXPECT_EQ(simulation.step().status, StepStatus::converged);
  return simulation.probe_values().at(0) * pi / 180;
}

TEST(Mjcf, PlaneShapesMassesAndFrictionAreCarriedOver) {
  SKIP_WITHOUT("mjcf");
  const Robot robot =
      read_robot_text(mjcf("<geom type='plane' size='1 1 1' friction='0.7'/><body name='b' pos='1 2 3'><freejoint/>"
                           "<geom type='box' size='.1 .2 .3' mass='3' friction='0.4'/></body>"),
                      "shapes.xml");
  ASSERT_EQ(robot.scene.half_spaces.size(), 1U);
  EXPECT_EQ(robot.scene.half_spaces[0].friction, 0.7);
  EXPECT_LT((robot.scene.half_spaces[0].normal - Vec<3>(0, 1, 0)).norm(), 1e-15);
  const BodyDesc& body = robot.body("b");
  EXPECT_NEAR(*body.mass, 3.0, 1e-12);
  EXPECT_EQ(body.friction, 0.4);
  EXPECT_LT((body.transform.translation - Vec<3>(1, 3, -2)).norm(), 1e-15);
  // The moments are m (b^2 + c^2) / 3 for half extents.
  EXPECT_NEAR(body.inertia->moments[0], 0.04 + 0.09, 1e-12);
}

TEST(Mjcf, MotorTurnsByItsGear) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(
      rod("", "<actuator><motor name='m' joint='j' gear='10' ctrllimited='true' ctrlrange='-.1 .1'/></actuator>"),
      "motor.xml");
  ASSERT_EQ(robot.scene.controls.size(), 1U);
  const double expected = 0.5 * (10 * 0.1) / rod_inertia * 0.25;
  EXPECT_NEAR(angle_after(robot.scene, 0.5, "m", 5.0), expected, 0.015 * expected);
}

TEST(Mjcf, SpringSwingsWithItsPeriodAndDamperStopsIt) {
  SKIP_WITHOUT("mjcf");
  // Half a period leads from 0.3 rad on one side to 0.3 rad on the other: the rod starts at 0, its spring at 0.3.
  const double half_period = pi * std::sqrt(rod_inertia / 20.0);
  const Robot robot = read_robot_text(rod("stiffness='20' springref='17.188733853924695'"), "spring.xml");
  EXPECT_NEAR(angle_after(robot.scene, half_period), 0.6, 0.01);
  // The rod is over-damped: after 10 s it is where the spring is relaxed.
  Robot damped = read_robot_text(rod("stiffness='20' springref='17.188733853924695' damping='20'"), "damped.xml");
  damped.scene.time.step = 0.05;
  EXPECT_NEAR(angle_after(damped.scene, 10.0), 0.3, 1e-3);
}

TEST(Mjcf, DamperSlowsByItsTimeConstant) {
  SKIP_WITHOUT("mjcf");
  Robot robot = read_robot_text(rod("damping='0.5'", "<keyframe><key qpos='0' qvel='2'/></keyframe>"), "damper.xml");
  const double tau = rod_inertia / 0.5;
  EXPECT_NEAR(angle_after(robot.scene, 0.5), 2 * tau * (1 - std::exp(-0.5 / tau)), 0.01);
}

TEST(Mjcf, WhatRestsOnAnotherBodyIsMovedOffItAndControlsOfServosAreInUse) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(
      mjcf("<body name='table'><joint name='j' type='slide' axis='1 0 0' damping='1'/><geom type='box' size='1 1 .1'/>"
           "</body><body name='box' pos='0 0 .2'><freejoint/><geom type='box' size='.1 .1 .1'/></body>",
           "<actuator><position name='servo' joint='j' kp='50'/></actuator>"),
      "rests.xml");
  EXPECT_EQ(robot.told.find("the control has no effect"), std::string::npos) << robot.told;
  const Simulation simulation = simulate(robot.scene);
  ASSERT_EQ(simulation.separation().moves.size(), 1U);
  EXPECT_EQ(simulation.separation().moves[0].body, "box");
}

TEST(Mjcf, ServoHoldsWhereItsControlSays) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(
      rod("damping='20'", "<actuator><position name='servo' joint='j' kp='50'/></actuator>"), "servo.xml");
  EXPECT_NEAR(angle_after(robot.scene, 4.0, "servo", 0.5), 0.5, 2e-3);
}

TEST(Mjcf, VelocityServoReachesItsSpeed) {
  SKIP_WITHOUT("mjcf");
  Robot robot =
      read_robot_text(rod("", "<actuator><velocity name='servo' joint='j' kv='10'/></actuator>"), "speed.xml");
  robot.scene.time.step = 0.005;
  const double tau = rod_inertia / 10.0;
  // This is the angle of a motion that starts at rest and approaches 1 rad/s with the time constant tau.
  EXPECT_NEAR(angle_after(robot.scene, 1.0, "servo", 1.0), 1.0 - tau * (1 - std::exp(-1.0 / tau)), 0.01);
}

TEST(Mjcf, LimitsCountFromTheKeyframe) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(
      rod("limited='true' range='-90 45'", "<keyframe><key name='bent' qpos='0.5'/></keyframe>"), "key.xml");
  EXPECT_NEAR(*robot.joint("j").upper, 45 - 0.5 * 180 / pi, 1e-6);
  EXPECT_NEAR(*robot.joint("j").lower, -90 - 0.5 * 180 / pi, 1e-6);
  EXPECT_NE(robot.told.find("starts as keyframe bent of 1 has it"), std::string::npos) << robot.told;
}

TEST(Mjcf, SeveralJointsOfABodyHaveBodiesBetweenThemThatWeighNextToNothing) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(
      mjcf("<body name='b'><joint name='x' axis='1 0 0' range='-45 45' limited='true'/><joint name='y' axis='0 1 0'/>"
           "<geom size='.1' mass='2'/></body>"),
      "two.xml");
  ASSERT_EQ(robot.scene.bodies.size(), 2U);
  EXPECT_EQ(robot.joint("x").bodies, (std::array<std::string, 2>{"b (after x)", ""}));
  EXPECT_EQ(robot.joint("y").bodies, (std::array<std::string, 2>{"b", "b (after x)"}));
  EXPECT_FALSE(robot.body("b (after x)").collides);
  EXPECT_NEAR(*robot.body("b (after x)").mass, 2e-3, 1e-12);
  EXPECT_TRUE(Simulation::create(robot.scene));
}

TEST(Mjcf, ThreePlainHingesAreABallAndThreePlainSlidesKeepTheOrientation) {
  SKIP_WITHOUT("mjcf");
  const std::string axes[3] = {"1 0 0", "0 1 0", "0 0 1"};
  std::string hinges, slides;
  for (const std::string& axis : axes) {
    hinges += "<joint axis='" + axis + "'/>";
    slides += "<joint type='slide' axis='" + axis + "'/>";
  }
  const Robot robot = read_robot_text(mjcf("<body name='a'>" + hinges + "<geom size='.1' pos='0 0 .3'/></body>" +
                                           "<body name='b' pos='1 0 0'>" + slides + "<geom size='.1'/></body>"),
                                      "three.xml");
  ASSERT_EQ(robot.scene.joints.size(), 1U);
  EXPECT_EQ(robot.scene.joints[0].kind, JointKind::ball);
  EXPECT_EQ(robot.body("b").fixed_rotation, (std::array<bool, 3>{true, true, true}));
}

TEST(Mjcf, ContactFiltersAreGroupsAndPairs) {
  SKIP_WITHOUT("mjcf");
  const auto body = [](const std::string& name, int x, const std::string& masks) {
    return "<body name='" + name + "' pos='" + std::to_string(x) + " 0 0'><freejoint/><geom size='.1' " + masks +
           "/></body>";
  };
  const Robot robot =
      read_robot_text(mjcf(body("a", 0, "contype='1' conaffinity='0'") + body("b", 1, "contype='1' conaffinity='0'") +
                               body("c", 2, "contype='0' conaffinity='1'") + body("d", 3, "") + body("e", 4, ""),
                           "<contact><exclude body1='d' body2='e'/></contact>"),
                      "masks.xml");
  EXPECT_EQ(robot.body("a").collision_group, robot.body("b").collision_group);
  EXPECT_GE(robot.body("a").collision_group, 0);
  ASSERT_EQ(robot.scene.contact.ignored_pairs.size(), 1U) << robot.told;
  EXPECT_EQ(robot.scene.contact.ignored_pairs[0].bodies, (std::array<std::string, 2>{"d", "e"}));
}

TEST(Mjcf, WhatIsNotCarriedOverIsCountedAndNamed) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(
      mjcf("<site name='s' pos='0 0 2'/><body name='b'><joint name='free' type='free' armature='0.1' "
           "frictionloss='0.2'/><geom size='.1'/><geom size='.2' contype='0' conaffinity='0' name='seen'/><site "
           "name='t'/></body>",
           "<tendon><spatial name='rope'><site site='s'/><site site='t'/></spatial></tendon><actuator><motor "
           "name='pull' tendon='rope'/></actuator>"),
      "omitted.xml");
  for (const std::string line :
       {"1 tendons (rope)", "1 actuators that act on tendons, sites, cranks, bodies, or balls (pull)",
        "1 armatures of ball and free joints (free)", "1 dry frictions of ball and free joints (free)",
        "1 geoms that are only seen (seen)"}) {
    EXPECT_NE(robot.told.find("not carried over: " + line), std::string::npos) << line << "\n" << robot.told;
  }
}

TEST(Mjcf, ArmatureAndDryFrictionAreThoseOfTheJoint) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(
      rod("armature='0.25' frictionloss='0.5'", "<actuator><motor name='m' joint='j' gear='2'/></actuator>"),
      "armature.xml");
  EXPECT_EQ(robot.joint("j").armature, 0.25);
  EXPECT_EQ(robot.joint("j").friction, 0.5);
  EXPECT_EQ(robot.told.find("armature"), std::string::npos) << robot.told;
  EXPECT_EQ(robot.told.find("dry friction"), std::string::npos) << robot.told;
  // A torque of 2 N m less the friction turns rod and rotor; one of 0.4 N m turns nothing.
  const double expected = 0.5 * (2.0 - 0.5) / (rod_inertia + 0.25) * 0.25;
  EXPECT_NEAR(angle_after(robot.scene, 0.5, "m", 1.0), expected, 0.015 * expected);
  EXPECT_NEAR(angle_after(robot.scene, 0.5, "m", 0.2), 0.0, 2e-4);
}

TEST(Mjcf, LoopsAreClosedByBallsAndFixedJoints) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(
      mjcf("<body name='a'><freejoint/><geom size='.1'/></body><body name='b' pos='1 0 0'><freejoint/><geom size='.1'/>"
           "</body><body name='c' pos='2 0 0'><freejoint/><geom size='.1'/></body>",
           "<equality><connect name='ball' body1='a' body2='b' anchor='.5 0 0'/><weld name='glue' body1='b' "
           "body2='c'/></equality>"),
      "loops.xml");
  EXPECT_EQ(robot.joint("ball").kind, JointKind::ball);
  EXPECT_LT((robot.joint("ball").point - Vec<3>(0.5, 0, 0)).norm(), 1e-12);
  EXPECT_EQ(robot.joint("glue").kind, JointKind::fixed);
}

TEST(Mjcf, MeshesAndHeightFieldsAreTheirTriangles) {
  SKIP_WITHOUT("mjcf");
  const auto folder = test_folder();
  write_file(folder / "tet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const auto model =
      write_file(folder / "mesh.xml", mjcf("<geom type='hfield' hfield='f'/><body name='b' pos='0 0 2'><freejoint/>"
                                           "<geom type='mesh' mesh='tet' mass='2'/></body>",
                                           "<asset><mesh file='tet.obj'/><hfield name='f' nrow='3' ncol='4' "
                                           "size='3 2 1 .1'/></asset>"));
  const Result<LoadedScene> loaded = load_scene(model);
  ASSERT_TRUE(loaded) << messages_of(loaded.issues());
  const Robot robot = {loaded->scene, ""};
  EXPECT_EQ(robot.body("world").geometry->vertices.size(), 12U);
  EXPECT_EQ(robot.body("world").geometry->triangles.size(), 12U);
  // The body is at the corner that is the origin of the file, whatever frame MuJoCo gives the mesh.
  EXPECT_EQ(robot.body("b").geometry->vertices.size(), 4U);  // closed, whatever normals its faces have
  double nearest = infinity;
  for (const Vec<3>& v : robot.body("b").geometry->vertices) nearest = std::min(nearest, v.norm());
  EXPECT_LT(nearest, 1e-6);
  Simulation simulation = simulate(robot.scene);
  for (int i = 0; i < 100; ++i) ASSERT_NE(simulation.step().status, StepStatus::line_search_stalled);
  EXPECT_LT(simulation.pose(1)->coeff(1, 3), -1.0);  // it has fallen
}

TEST(Mjcf, MirroredMeshesPointOutwardsWhateverElseTheirBodyHas) {
  SKIP_WITHOUT("mjcf");
  const auto folder = test_folder();
  write_file(folder / "tet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  for (const std::string scale : {"-.3 .3 .3", ".3 .3 -.3", "-.3 -.3 -.3"}) {
    const auto model = write_file(
        folder / "mesh.xml", mjcf("<body name='b' pos='0 0 2'><freejoint/><geom type='mesh' mesh='big'/>"
                                  "<geom type='mesh' mesh='small' pos='.9 .6 .6'/></body>",
                                  "<asset><mesh name='big' file='tet.obj'/><mesh name='small' file='tet.obj' scale='" +
                                      scale + "'/></asset>"));
    const Result<LoadedScene> loaded = load_scene(model);
    ASSERT_TRUE(loaded) << messages_of(loaded.issues());
    const Robot robot{loaded->scene, ""};
    const GeometryDesc& geometry = *robot.body("b").geometry;
    // (MuJoCo keeps single precision.)
    EXPECT_NEAR(mass_properties_of_solid(geometry.vertices, geometry.triangles).measure, 1.027 / 6.0, 1e-6) << scale;
  }
}

TEST(Mjcf, ServoTurnsBeyondHalfATurn) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(
      rod("damping='20'", "<actuator><position name='servo' joint='j' kp='50'/></actuator>"), "servo.xml");
  for (const double target : {4.0, -5.0, 2.0 * pi, 20.0}) {
    EXPECT_NEAR(angle_after(robot.scene, 5.0, "servo", target), target, 1e-3 * std::abs(target));
  }
}

TEST(Mjcf, LimitsAndReferencesOfEveryUnitAndStartAreCountedInTurns) {
  SKIP_WITHOUT("mjcf");
  const std::string autolimits = "<compiler autolimits='true'/>", radian = "<compiler angle='radian'/>";
  struct Case {
    std::string joint, more;
    double lower, upper;  // [degrees] from the start
  };
  const double degrees = 180.0 / pi;
  for (const Case& c : {Case{"limited='true' range='-30 400' ref='90'", "", -120.0, 310.0},
                        Case{"limited='true' range='-7 7'", radian, -7.0 * degrees, 7.0 * degrees},
                        Case{"range='-200 800'", autolimits, -200.0, 800.0},
                        Case{"limited='true' range='-720 -10' ref='-300'", "", -420.0, 290.0},
                        Case{"limited='true' range='-1000 0.5'", "", -1000.0, 0.5},
                        Case{"limited='true' range='0 900'", "<keyframe><key qpos='7'/></keyframe>", -7.0 * degrees,
                             900.0 - 7.0 * degrees}}) {
    const Robot robot = read_robot_text(rod(c.joint, c.more), "range.xml");
    EXPECT_NEAR(*robot.joint("j").lower, c.lower, 1e-6) << c.joint;
    EXPECT_NEAR(*robot.joint("j").upper, c.upper, 1e-6) << c.joint;
  }
  // A damped spring comes to rest where it is relaxed, and stops at a limit before; angles count from the start.
  for (const auto& [joint, more, expected] :
       {std::tuple("damping='2' stiffness='10' springref='500' ref='20'", "", 480.0 / degrees),
        std::tuple("damping='2' stiffness='10' springref='-9'", "<compiler angle='radian'/>", -9.0),
        std::tuple("damping='2' stiffness='10' springref='900' limited='true' range='-10 700'", "", 700.0 / degrees),
        std::tuple("damping='2' stiffness='10'", "<keyframe><key qpos='6'/></keyframe>", -6.0)}) {
    const Robot robot = read_robot_text(rod(joint, more), "spring.xml");
    EXPECT_NEAR(angle_after(robot.scene, 4.0), expected, 1e-3 * std::abs(expected)) << joint << more;
  }
  // A gear of 2 on a servo: the joint turns by half of the control.
  const Robot geared = read_robot_text(
      rod("damping='20'", "<actuator><position name='servo' joint='j' kp='50' gear='2'/></actuator>"), "gear.xml");
  EXPECT_NEAR(angle_after(geared.scene, 5.0, "servo", 18.0), 9.0, 9e-3);
}

TEST(Mjcf, SpringReferenceAndLimitsBeyondHalfATurnAreKept) {
  SKIP_WITHOUT("mjcf");
  const Robot robot =
      read_robot_text(rod("damping='2' stiffness='10' springref='300' range='-200 280' limited='true'"), "wide.xml");
  EXPECT_NEAR(*robot.joint("j").lower, -200.0, 1e-9);
  EXPECT_NEAR(*robot.joint("j").upper, 280.0, 1e-9);
  EXPECT_EQ(robot.told.find("limit"), std::string::npos) << robot.told;
  EXPECT_NEAR(angle_after(robot.scene, 4.0), 280.0 * pi / 180.0, 5e-4);
}

/// Returns two rods on hinges a and b, and a slide c, each with other words.
std::string coupled(const std::string& equality, const std::string& rest = "") {
  const auto body = [](const std::string& name, int y, const std::string& type) {
    return "<body name='b" + name + "' pos='0 " + std::to_string(y) + " 0'><joint name='" + name + "' type='" + type +
           "' axis='0 0 1'/><geom type='box' size='.1 .1 .1' mass='1'/></body>";
  };
  return "<mujoco><option gravity='0 0 0'/><worldbody>" + body("a", 0, "hinge") + body("b", 1, "hinge") +
         body("c", 2, "slide") + "</worldbody><equality>" + equality + "</equality>" + rest + "</mujoco>";
}

TEST(Mjcf, CouplingsOfJointsFollowTheLinearPart) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(coupled("<joint joint1='b' joint2='a' polycoef='0 -2 0 0 0'/>"
                                              "<joint joint1='c' joint2='b' polycoef='0 0.1 0 0 0'/>"),
                                      "coupled.xml");
  EXPECT_EQ(robot.told.find("coupling"), std::string::npos) << robot.told;
  EXPECT_EQ(robot.joint("b").mimic->joint, "a");
  EXPECT_EQ(robot.joint("b").mimic->multiplier, -2.0);
  EXPECT_NEAR(robot.joint("c").mimic->multiplier, 0.1 * pi / 180.0, 1e-12);  // metres a degree
  EXPECT_EQ(robot.joint("c").mimic->offset, 0.0);
}

TEST(Mjcf, CouplingWithAConstantStartsWhereItsLeaderPutsIt) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(coupled("<joint joint1='c' joint2='a' polycoef='0.5 1 0 0 0'/>"), "constant.xml");
  EXPECT_NE(robot.told.find("1 joints start where those that they follow (equality) lead them"), std::string::npos)
      << robot.told;
  EXPECT_NEAR(robot.body("bc").transform.translation[1], 0.5, 1e-9);
  EXPECT_EQ(robot.joint("c").mimic->offset, 0.0);
}

TEST(Mjcf, HigherTermsLoopsAndSecondCouplingsAreTold) {
  SKIP_WITHOUT("mjcf");
  const Robot curved =
      read_robot_text(coupled("<joint name='bent' joint1='b' joint2='a' polycoef='0 1 3 0 0'/>"), "curved.xml");
  EXPECT_NE(
      curved.told.find("1 quadratic and higher terms of couplings of joints, which follow the linear ones (bent)"),
      std::string::npos)
      << curved.told;
  EXPECT_TRUE(curved.joint("b").mimic);
  const Robot loop =
      read_robot_text(coupled("<joint joint1='b' joint2='a'/><joint name='back' joint1='a' joint2='b'/>"), "loop.xml");
  EXPECT_NE(loop.told.find("couplings that close a loop of joints which follow each other (back)"), std::string::npos)
      << loop.told;
  const Robot twice =
      read_robot_text(coupled("<joint joint1='b' joint2='a'/><joint name='more' joint1='b' joint2='c'/>"), "twice.xml");
  EXPECT_NE(twice.told.find("further equality constraints of one joint, which has the first (more)"), std::string::npos)
      << twice.told;
  const Robot off = read_robot_text(coupled("<joint name='off' joint1='b' joint2='a' active='false'/>"), "off.xml");
  EXPECT_FALSE(off.joint("b").mimic);
}

TEST(Mjcf, WhatMujocoRefusesIsRefusedWithItsWords) {
  SKIP_WITHOUT("mjcf");
  const std::string text = refusal_of(mjcf("<body><geom type='blob'/></body>"), "bad.xml");
  EXPECT_NE(text.find("libmujoco "), std::string::npos) << text;
  EXPECT_NE(text.find("bad.xml"), std::string::npos) << text;
}

}  // namespace
}  // namespace clearance
