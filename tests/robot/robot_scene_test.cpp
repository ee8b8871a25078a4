// Scenes made of models, without the libraries that read files.
#include "clearance/io/robot/robot_scene.h"

#include <gtest/gtest.h>

#include "clearance/geometry/mass_properties.h"
#include "clearance/io/robot/robot_program.h"
#include "clearance/math/rotation.h"
#include "clearance/scene/validate.h"
#include "clearance/simulation/simulation.h"
#include "robot_file.h"

namespace clearance {
namespace {

RobotBody ball(const std::string& name, const Vec<3>& at, double radius) {
  RobotBody body;
  body.name = name;
  body.pose.position = at;
  RobotShape shape;
  shape.kind = RobotShapeKind::ellipsoid;
  shape.size = Vec<3>::Constant(radius);
  body.shapes = {shape};
  body.inertia = RobotInertia{2.0, Vec<3>(0, 0, 0.01), Mat<3>(Vec<3>(0.1, 0.2, 0.25).asDiagonal())};
  return body;
}

TEST(RobotScene, ZBecomesYAndGravityFollows) {
  RobotModel model;
  model.bodies = {ball("a", {1, 2, 3}, 0.1)};
  Issues notes;
  const SceneDesc scene = scene_of_robot(model, notes);
  EXPECT_LT((scene.bodies[0].transform.translation - Vec<3>(1, 3, -2)).norm(), 1e-15);
  EXPECT_LT((scene.gravity - Vec<3>(0, -9.81, 0)).norm(), 1e-15);
  EXPECT_TRUE(notes.empty());
  EXPECT_TRUE(validate(scene).empty()) << messages_of(validate(scene));
}

TEST(RobotScene, MassCentreAndInertiaAreThoseOfTheModel) {
  RobotModel model;
  model.bodies = {ball("a", {0, 0, 3}, 0.5)};
  model.bodies[0].pose.rotation = rotation_from_vector(Vec<3>(0.3, -0.2, 0.5));
  Issues notes;
  const auto simulation = Simulation::create(scene_of_robot(model, notes));
  ASSERT_TRUE(simulation) << messages_of(simulation.issues());
  EXPECT_NEAR(simulation->body_facts().at(0).mass, 2.0, 1e-14);
}

TEST(RobotScene, OverlapsWithinAMechanismAreIgnoredAndTold) {
  RobotModel model;
  model.bodies = {ball("a", {0, 0, 1}, 0.1), ball("b", {0.15, 0, 1}, 0.1), ball("c", {0.3, 0, 1}, 0.1)};
  for (int b = 1; b < 3; ++b) {
    RobotJoint joint;
    joint.body = b;
    joint.parent = b - 1;
    joint.point = {0.15 * b - 0.075, 0, 1};
    model.joints.push_back(joint);
  }
  model.ignored_pairs = {{1, 0}};
  Issues notes;
  const SceneDesc scene = scene_of_robot(model, notes);
  ASSERT_EQ(scene.contact.ignored_pairs.size(), 2U);
  EXPECT_EQ(scene.contact.ignored_pairs[1].bodies, (std::array<std::string, 2>{"b", "c"}));
  EXPECT_NE(messages_of(notes).find("1 pairs of bodies of the same mechanism overlap"), std::string::npos);
  EXPECT_TRUE(Simulation::create(scene));
}

TEST(RobotScene, WhatStandsOnAPlaneIsLiftedWithAllThatIsJoinedToIt) {
  RobotModel model;
  model.bodies = {ball("foot", {0, 0, 0.1}, 0.1), ball("head", {0, 0, 0.5}, 0.1)};
  RobotJoint joint;
  joint.body = 1;
  joint.parent = 0;
  joint.point = {0, 0, 0.3};
  model.joints = {joint};
  model.planes = {{}};
  Issues notes;
  const SceneDesc scene = scene_of_robot(model, notes);
  const double lift = scene.bodies[0].transform.translation[1] - 0.1;
  EXPECT_GT(lift, 1e-5);
  EXPECT_LT(lift, 1e-3);
  EXPECT_NEAR(scene.bodies[1].transform.translation[1] - 0.5, lift, 1e-15);
  EXPECT_NEAR(scene.joints[0].point[1] - 0.3, lift, 1e-15);
  EXPECT_TRUE(Simulation::create(scene));
  EXPECT_NE(messages_of(notes).find("starts on a plane and was lifted by"), std::string::npos);
}

TEST(RobotScene, AnInertiaThatNoBodyHasIsReplacedByThatOfTheShapeAndTold) {
  RobotModel model;
  model.bodies = {ball("a", {0, 0, 1}, 0.1), ball("b", {1, 0, 1}, 0.1)};
  model.bodies[0].inertia->tensor = Mat<3>(Vec<3>(0.1, 0.1, 0.3).asDiagonal());
  model.bodies[1].inertia->tensor.setZero();
  Issues notes;
  const SceneDesc scene = scene_of_robot(model, notes);
  EXPECT_TRUE(scene.bodies[0].inertia && scene.bodies[1].inertia);
  EXPECT_EQ(notes.size(), 2U);
  EXPECT_NE(messages_of(notes).find("body 'a': no body can have the given inertia (Ixx 0.1, Iyy 0.1, Izz 0.3,"),
            std::string::npos)
      << messages_of(notes);
  EXPECT_TRUE(Simulation::create(scene));
}

TEST(RobotProgram, WhereItIsMissingTheMessageSaysWhatToInstall) {
  const auto file = write_file(test_folder() / "arm.urdf", "<robot name='arm'><link name='a'/></robot>");
  ASSERT_EQ(::setenv("CLEARANCE_ROBOT", "/no/such/program", 1), 0);
  const Result<LoadedScene> loaded = load_scene(file);
  ::unsetenv("CLEARANCE_ROBOT");
  ASSERT_FALSE(loaded);
  EXPECT_NE(messages_of(loaded.issues()).find("liburdfdom-dev and libmujoco-dev"), std::string::npos)
      << messages_of(loaded.issues());
}

TEST(RobotScene, LimitsOfAnyNumberOfTurnsAreKeptAndStartsBeyondLimitsAreTold) {
  RobotModel model;
  model.bodies = {ball("a", {0, 0, 1}, 0.1), ball("b", {1, 0, 1}, 0.1)};
  RobotJoint wide, beyond;
  wide.name = "wide";
  wide.body = 0;
  wide.lower = -6.3;
  wide.upper = 1.0;
  beyond.name = "beyond";
  beyond.body = 1;
  beyond.lower = 0.2;
  beyond.upper = 0.4;
  model.joints = {wide, beyond};
  Issues notes;
  const SceneDesc scene = scene_of_robot(model, notes);
  EXPECT_NEAR(*scene.joints[0].lower, -6.3 / radians_per_degree, 1e-9);
  EXPECT_EQ(scene.joints[1].lower, 0.0);
  EXPECT_EQ(messages_of(notes).find("'wide'"), std::string::npos) << messages_of(notes);
  EXPECT_NE(messages_of(notes).find("joint 'beyond' starts beyond a limit"), std::string::npos);
  EXPECT_FALSE(has_errors(validate(scene)));
}

TEST(RobotFormat, IsThatOfTheFirstElement) {
  EXPECT_EQ(robot_format_of("<?xml version='1.0'?>\n<!-- <mujoco> -->\n<robot name='a'>"), "urdf");
  EXPECT_EQ(robot_format_of("\xEF\xBB\xBF<mujoco>"), "mjcf");
  EXPECT_EQ(robot_format_of("<mujoco_include/>"), "");
  EXPECT_EQ(robot_format_of("{\"bodies\": []}"), "");
  EXPECT_EQ(robot_format_of("<!-- no end"), "");
  EXPECT_EQ(robot_format_of(""), "");
}

}  // namespace
}  // namespace clearance
