// Contact in MJCF: the pairs that collide, and their friction; excludes, masks, contact pairs.
#include <gtest/gtest.h>

#include <cmath>

#include "clearance/simulation/simulation.h"
#include "robot_file.h"

namespace clearance {
namespace {

const std::string floor_plane = "<geom name='floor' type='plane' size='5 5 .1'/>";
const std::string floor_box = "<geom name='floor' type='box' size='5 5 .1' pos='0 0 -.1'/>";
const std::string falling =
    "<body name='a' pos='0 0 .3'><freejoint/><geom name='a' type='box' size='.1 .1 .1'/></body>";

std::string mjcf(const std::string& world, const std::string& contact, const std::string& more = "") {
  return "<mujoco>" + more + "<worldbody>" + world + "</worldbody><contact>" + contact + "</contact></mujoco>";
}

/// Height of the first moving body after 0.5 s [m].
double height_after_fall(SceneDesc scene, const std::string& name = "a") {
  scene.time.step = 0.01;
  Result<Simulation> simulation = Simulation::create(scene);
  if (!simulation) throw std::runtime_error(messages_of(simulation.issues()));
  int body = 0;
  while (simulation->bodies()[body].name != name) ++body;
  for (int i = 0; i < 50; ++i) EXPECT_EQ(simulation->step().status, StepStatus::converged);
  const BodyDesc& desc = scene.bodies[simulation->bodies()[body].entry];
  return desc.transform.translation[1] + simulation->pose(body)->coeff(1, 3);
}

struct Excluded {
  std::string world, contact;
};

class MjcfExclude : public testing::TestWithParam<Excluded> {};

TEST_P(MjcfExclude, LetsTheBodyFallThroughWhatDoesNotMove) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(mjcf(GetParam().world, GetParam().contact), "exclude.xml");
  EXPECT_EQ(robot.scene.contact.ignored_pairs.size(), 1U) << robot.told;
  EXPECT_NEAR(height_after_fall(robot.scene), 0.3 - 0.5 * 9.81 * 0.25, 0.03);
  const Robot without = read_robot_text(mjcf(GetParam().world, ""), "without.xml");
  EXPECT_TRUE(without.scene.contact.ignored_pairs.empty()) << without.told;
  EXPECT_NEAR(height_after_fall(without.scene), 0.1, 2e-3);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, MjcfExclude,
    testing::Values(
        Excluded{floor_plane + falling, "<exclude body1='world' body2='a'/>"},
        Excluded{floor_plane + falling, "<exclude body1='a' body2='world'/>"},
        Excluded{floor_box + falling, "<exclude body1='world' body2='a'/>"},
        Excluded{"<body name='table'>" + floor_box + "</body>" + falling, "<exclude body1='table' body2='a'/>"},
        Excluded{falling + "<body name='table'>" + floor_box + "</body>", "<exclude body1='a' body2='table'/>"},
        Excluded{"<body name='table'>" + floor_plane + "</body>" + falling, "<exclude body1='table' body2='a'/>"},
        Excluded{"<body name='room'><body name='table'>" + floor_box + "</body></body>" + falling,
                 "<exclude body1='table' body2='a'/>"},
        // Other shapes, a body that is moved by others, and parts that are welded to what falls.
        Excluded{"<body name='table' mocap='true'>" + floor_box + "</body>" + falling,
                 "<exclude body1='table' body2='a'/>"},
        Excluded{"<body name='table'><geom type='capsule' size='.1' fromto='-3 0 -.1 3 0 -.1'/><geom type='cylinder' "
                 "size='3 .05' pos='0 0 -.05'/></body>" +
                     falling,
                 "<exclude body1='a' body2='table'/>"},
        Excluded{"<body name='table' euler='180 0 0' pos='0 0 -.1'><geom type='box' size='5 5 .1'/></body>" + falling,
                 "<exclude body1='table' body2='a'/>"},
        Excluded{floor_plane +
                     "<body name='a' pos='0 0 .3'><freejoint/><geom type='box' size='.1 .1 .1'/><body name='lid' "
                     "pos='0 0 .15'><geom type='box' size='.1 .1 .05'/></body></body>",
                 "<exclude body1='world' body2='lid'/>"},
        Excluded{floor_box + "<body name='a' pos='0 0 .3'><freejoint/><geom type='box' size='.1 .1 .05' pos='0 0 "
                             ".05'/><geom type='box' size='.1 .1 .05' pos='0 0 -.05'/></body>",
                 "<exclude body1='a' body2='world'/>"}));

TEST(MjcfContact, ExcludeOfTheWorldLeavesStaticBodiesAndOthersAlone) {
  SKIP_WITHOUT("mjcf");
  const std::string other = "<body name='b' pos='2 0 .3'><freejoint/><geom type='box' size='.1 .1 .1'/></body>";
  const Robot robot = read_robot_text(mjcf("<geom type='plane' size='5 5 .1' pos='0 0 -3'/><body name='table'>" +
                                               floor_box + "</body>" + falling + other,
                                           "<exclude body1='world' body2='a'/>"),
                                      "table.xml");
  EXPECT_NEAR(height_after_fall(robot.scene, "a"), 0.1, 2e-3);
  EXPECT_NEAR(height_after_fall(robot.scene, "b"), 0.1, 2e-3);
}

TEST(MjcfContact, MasksThatDoNotMatchThatOfAPlaneLetABodyThrough) {
  SKIP_WITHOUT("mjcf");
  const std::string masked =
      "<body name='a' pos='0 0 .3'><freejoint/><geom type='box' size='.1 .1 .1' contype='2' conaffinity='2'/></body>";
  const Robot robot = read_robot_text(mjcf(floor_plane + masked, ""), "masks.xml");
  ASSERT_EQ(robot.scene.contact.ignored_pairs.size(), 1U) << robot.told;
  EXPECT_EQ(robot.scene.contact.ignored_pairs[0].bodies, (std::array<std::string, 2>{"a", "half_spaces[0]"}));
  EXPECT_NEAR(height_after_fall(robot.scene), 0.3 - 0.5 * 9.81 * 0.25, 0.03);
}

TEST(MjcfContact, PairOfGeomsWithoutMasksCollidesAndNothingIsSaidToBeLost) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(mjcf(floor_plane + falling, "<pair geom1='floor' geom2='a'/>",
                                           "<default><geom contype='0' conaffinity='0'/></default>"),
                                      "zero.xml");
  EXPECT_EQ(robot.told.find("not carried over"), std::string::npos) << robot.told;
  EXPECT_NEAR(height_after_fall(robot.scene), 0.1, 2e-3);
}

TEST(MjcfContact, PairIsStrongerThanAnExclude) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(
      mjcf(floor_plane + falling, "<exclude body1='world' body2='a'/><pair geom1='a' geom2='floor'/>"), "both.xml");
  EXPECT_TRUE(robot.scene.contact.ignored_pairs.empty());
}

TEST(MjcfContact, PredefinedCollisionsAreThoseOfPairsAlone) {
  SKIP_WITHOUT("mjcf");
  const std::string other =
      "<body name='b' pos='2 0 .3'><freejoint/><geom name='b' type='box' size='.1 .1 .1'/></body>";
  const Robot robot = read_robot_text(
      mjcf(floor_plane + falling + other, "<pair geom1='floor' geom2='b'/>", "<option collision='predefined'/>"),
      "predefined.xml");
  EXPECT_NEAR(height_after_fall(robot.scene, "b"), 0.1, 2e-3);
  EXPECT_LT(height_after_fall(robot.scene, "a"), -0.5);
}

// --- friction ---

/// Distance that the box of 0.1 m has slid after 0.5 s on a slope of 20 degrees [m].
double way(const std::string& floor, const std::string& contact) {
  const double slope = 20.0 * 3.14159265358979323846 / 180.0;
  const std::string gravity = "<option gravity='" + std::to_string(9.81 * std::sin(slope)) + " 0 " +
                              std::to_string(-9.81 * std::cos(slope)) + "'/>";
  Robot robot = read_robot_text(
      mjcf(floor + "<body name='box' pos='0 0 .1003'><freejoint/><geom name='box' type='box' size='.1 .1 .1' "
                   "friction='1 .005 .0001'/></body>",
           contact, gravity),
      "slope.xml");
  robot.scene.time.step = 0.005;
  Result<Simulation> simulation = Simulation::create(robot.scene);
  if (!simulation) throw std::runtime_error(messages_of(simulation.issues()));
  int body = 0;
  while (simulation->bodies()[body].name != "box") ++body;
  for (int i = 0; i < 100; ++i) simulation->step();
  return simulation->pose(body)->coeff(0, 3);
}
double expected_way(double friction) {
  const double slope = 20.0 * 3.14159265358979323846 / 180.0;
  return 0.5 * 9.81 * (std::sin(slope) - friction * std::cos(slope)) * 0.25;
}

TEST(MjcfContact, FrictionOfAPairIsThatOfItsBodies) {
  SKIP_WITHOUT("mjcf");
  const std::string rough_plane = "<geom name='floor' type='plane' size='9 9 .1' friction='1 .005 .0001'/>";
  const std::string rough_box = "<geom name='floor' type='box' size='9 9 .1' pos='0 0 -.1' friction='1 .005 .0001'/>";
  const std::string pair = "<pair geom1='floor' geom2='box' friction='.1 .1 .005 .0001 .0001'/>";
  const std::string turned = "<pair geom1='box' geom2='floor' friction='.2 .2 .005 .0001 .0001'/>";
  EXPECT_NEAR(way(rough_plane, pair), expected_way(0.1), 0.02 * expected_way(0.1));
  EXPECT_NEAR(way(rough_box, pair), expected_way(0.1), 0.02 * expected_way(0.1));
  EXPECT_NEAR(way("<body>" + rough_box + "</body>", turned), expected_way(0.2), 0.02 * expected_way(0.2));
  EXPECT_NEAR(way(rough_plane, turned), expected_way(0.2), 0.02 * expected_way(0.2));
  EXPECT_NEAR(way(rough_plane, "<pair geom1='floor' geom2='box' condim='1'/>"), expected_way(0.0),
              0.02 * expected_way(0.0));
  EXPECT_LT(way(rough_plane, ""), 1e-3);
}

TEST(MjcfContact, FrictionOfAPairHoldsForTurnedWeldedAndCompoundBodies) {
  SKIP_WITHOUT("mjcf");
  const std::string rough = " friction='1 .005 .0001'";
  const std::string plane = "<geom name='floor' type='plane' size='9 9 .1'" + rough + "/>";
  const std::string box = "<geom name='floor' type='box' size='9 9 .1' pos='0 0 -.1'" + rough + "/>";
  const auto pair = [](const std::string& mu) {
    return "<pair geom1='floor' geom2='box' friction='" + mu + " " + mu + " .005 .0001 .0001'/>";
  };
  const auto slides = [&](const std::string& floor, const std::string& contact, double friction) {
    EXPECT_NEAR(way(floor, contact), expected_way(friction), 0.02 * expected_way(friction)) << floor << contact;
  };
  slides("<body name='t' mocap='true'>" + box + "</body>", pair("0.15"), 0.15);
  slides("<body name='t'><body name='u' pos='0 0 .05'><geom name='floor' type='box' size='9 9 .1' pos='0 0 -.15'" +
             rough + "/></body></body>",
         pair("0.2"), 0.2);
  slides(
      "<body name='t' euler='180 0 0' pos='0 0 -.1'><geom name='floor' type='box' size='9 9 .1'" + rough + "/></body>",
      pair("0.05"), 0.05);
  // A pair is stronger than a priority, and leaves other pairs of its geoms alone.
  slides("<geom name='floor' type='plane' size='9 9 .1' priority='3'" + rough + "/>", pair("0.25"), 0.25);
  const std::string other =
      "<body name='far' pos='0 5 9'><freejoint/><geom name='other' type='box' size='.1 .1 .1'/></body>";
  slides(plane + other, pair("0.1") + "<pair geom1='floor' geom2='other' friction='.9 .9 .005 .0001 .0001'/>", 0.1);
}

TEST(MjcfContact, WhatOfAPairIsNotCarriedOverIsTold) {
  SKIP_WITHOUT("mjcf");
  const Robot robot = read_robot_text(
      mjcf(floor_plane + falling, "<pair geom1='floor' geom2='a' condim='6' friction='.1 .4 .005 .0001 .0001'/>"),
      "told.xml");
  ASSERT_EQ(robot.scene.friction.pairs.size(), 1U);
  EXPECT_EQ(robot.scene.friction.pairs[0].coefficient, 0.1);
  EXPECT_NE(robot.told.find("second coefficients of friction of contact pairs"), std::string::npos) << robot.told;
  EXPECT_NE(robot.told.find("contact pairs' frictions against twisting and rolling (floor and a)"), std::string::npos)
      << robot.told;
}

// A car with a smooth caster: the caster got the friction of the other shapes of its body, in silence.
TEST(MjcfContact, AShapeThatGetsTheFrictionOfAnotherOneIsTold) {
  SKIP_WITHOUT("mjcf");
  const auto car = [](const std::string& friction_of_caster) {
    return read_robot_text(
        mjcf("<body name='base' pos='0 0 1'><freejoint/><geom type='box' size='.15 .1 .02' friction='.9 0 0'/>"
             "<body name='holder'><geom name='caster' size='.02' pos='-.12 0 -.04' friction='" +
                 friction_of_caster +
                 "'/></body><body name='wheel' pos='0 .2 0'><joint axis='0 1 0'/><geom size='.05' friction='.2 0 0'/>"
                 "</body></body><body name='other'><geom size='.1' pos='5 0 0' friction='.3 0 0'/></body>",
             ""),
        "car.xml");
  };
  const Robot robot = car(".1 0 0");
  EXPECT_EQ(robot.body("base").friction, 0.9);
  EXPECT_NE(robot.told.find("not carried over: 1 geoms' own frictions, in whose place they have the largest one of "
                            "their body (caster: 0.1 becomes 0.9)"),
            std::string::npos)
      << robot.told;
  EXPECT_EQ(car(".9 0 0").told.find("own frictions"), std::string::npos);
}

}  // namespace
}  // namespace clearance
