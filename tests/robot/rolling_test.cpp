// Round shapes of robots roll as round bodies do.
#include <gtest/gtest.h>

#include <cmath>

#include "clearance/simulation/simulation.h"
#include "robot_file.h"

namespace clearance {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Distance that the body rolls in a second on a slope of 5 degrees [m].
double way(SceneDesc scene) {
  scene.time.step = 0.005;
  Result<Simulation> simulation = Simulation::create(scene);
  if (!simulation) throw std::runtime_error(messages_of(simulation.issues()));
  for (int i = 0; i < 200; ++i) simulation->step();
  // Position of the middle, which started at a height of 0.1003 m.
  return simulation->pose(0)->coeff(0, 3) + 0.1003 * simulation->pose(0)->coeff(0, 1);
}
double expected(double gyration) {
  return 0.5 * 9.81 * std::sin(5 * pi / 180) / (1 + gyration);
}
std::string on_slope(const std::string& body, const std::string& geom) {
  return "<mujoco><option gravity='0.854998 0 -9.772670'/><worldbody><geom type='plane' size='9 9 1' friction='.8 0 "
         "0'/>"
         "<body name='b' " +
         body + "><freejoint/><geom " + geom + " friction='.8 0 0'/></body></worldbody></mujoco>";
}

TEST(RobotRolling, CylindersBallsCapsulesAndRoundEllipsoidsRoll) {
  SKIP_WITHOUT("mjcf");
  const auto way_of = [](const std::string& body, const std::string& geom) {
    return way(read_robot_text(on_slope(body, geom), "roll.xml").scene);
  };
  const std::string lies = "pos='0 0 .1' euler='90 0 0'";
  EXPECT_NEAR(way_of(lies, "type='cylinder' size='.1 .1'"), expected(0.5), 0.03 * expected(0.5));
  // It starts on a side.
  EXPECT_NEAR(way_of("pos='0 0 .0998' euler='90 0 11.25'", "type='cylinder' size='.1 .1'"), expected(0.5),
              0.03 * expected(0.5));
  EXPECT_NEAR(way_of("pos='0 0 .1'", "type='sphere' size='.1'"), expected(0.4), 0.03 * expected(0.4));
  EXPECT_NEAR(way_of(lies, "type='ellipsoid' size='.1 .1 .2'"), expected(0.4), 0.03 * expected(0.4));
  const Robot capsule = read_robot_text(on_slope(lies, "type='capsule' size='.1 .1'"), "capsule.xml");
  const double gyration = capsule.body("b").inertia->moments[2] / (*capsule.body("b").mass * 0.01);
  EXPECT_NEAR(way(capsule.scene), expected(gyration), 0.03 * expected(gyration));
}

TEST(RobotRolling, LinksOfUrdfRoll) {
  SKIP_WITHOUT("urdf");
  Robot robot = read_robot_text(
      "<robot name='r'><link name='b'><inertial><mass value='2'/><inertia ixx='.1' iyy='.1' izz='.01' ixy='0' ixz='0' "
      "iyz='0'/></inertial><collision><origin rpy='1.5707963267948966 0 0'/><geometry><cylinder radius='.1' "
      "length='.2'/>"
      "</geometry></collision></link></robot>",
      "roll.urdf");
  robot.scene.bodies[0].inertia->moments = {0.1, 0.01, 0.1};
  robot.scene.bodies[0].transform.translation[1] = 0.1003;
  robot.scene.half_spaces = {HalfSpaceDesc{}};
  robot.scene.friction.coefficient = 0.8;
  robot.scene.gravity = 9.81 * Vec<3>(std::sin(5 * pi / 180), -std::cos(5 * pi / 180), 0);
  EXPECT_NEAR(way(robot.scene), expected(0.5), 0.03 * expected(0.5));
}

TEST(RobotRolling, WheelsAndFreeBodiesHaveMoreSidesThanLinks) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(
      "<mujoco><worldbody><body name='car' pos='0 0 1'><freejoint/><geom type='box' size='.3 .1 .05'/>"
      "<body name='wheel' pos='.3 .2 0' euler='90 0 0'><joint axis='0 0 1'/><geom type='cylinder' size='.1 "
      ".02'/></body>"
      "<body name='arm' pos='-.3 0 .2'><joint axis='0 1 0'/><geom type='cylinder' size='.02 .1' pos='0 0 .1'/></body>"
      "</body><body name='can' pos='2 0 1'><freejoint/><geom type='cylinder' size='.1 "
      ".1'/></body></worldbody></mujoco>",
      "sides.xml");
  EXPECT_EQ(robot.body("wheel").geometry->vertices.size(), 2U * 192 + 2);
  EXPECT_EQ(robot.body("can").geometry->vertices.size(), 2U * 192 + 2);
  EXPECT_EQ(robot.body("arm").geometry->vertices.size(), 2U * 64 + 2);
}

TEST(RobotRolling, SidesCanBeChosen) {
  SKIP_WITHOUT("mjcf");
  const auto path = write_file(test_folder() / "sides.xml", on_slope("pos='0 0 .1'", "type='cylinder' size='.1 .1'"));
  const auto vertices = [&](const std::string& sides) {
    const Result<LoadedScene> loaded = load_scene(path, SceneFormat::automatic, {"robot.sides=" + sides, "name=\"x\""});
    return loaded ? static_cast<int>(loaded->scene.bodies.at(0).geometry->vertices.size()) : -1;
  };
  EXPECT_EQ(vertices("32"), 66);
  EXPECT_EQ(vertices("30"), 66);
  for (const std::string bad : {"3", "-1", "many", "1e9", ""}) EXPECT_EQ(vertices(bad), -1) << bad;
}

TEST(RobotRolling, VeryManyRoundShapesHaveFewerSidesAndAreTold) {
  SKIP_WITHOUT("mjcf");
  std::string balls;
  for (int i = 0; i < 100; ++i) {
    balls += "<body pos='" + std::to_string(i) + " 0 1'><freejoint/><geom type='ellipsoid' size='.1 .1 .101'/></body>";
  }
  const Robot robot = read_robot_text("<mujoco><worldbody>" + balls + "</worldbody></mujoco>", "many.xml");
  EXPECT_NE(robot.told.find("there are many round shapes"), std::string::npos) << robot.told;
  std::size_t num_vertices = 0;
  for (const BodyDesc& body : robot.scene.bodies) num_vertices += body.geometry->vertices.size();
  EXPECT_LT(num_vertices, 250000U);
}

}  // namespace
}  // namespace clearance
