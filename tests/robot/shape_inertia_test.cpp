#include "clearance/io/robot/shape_inertia.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "clearance/geometry/mass_properties.h"
#include "clearance/io/robot/shape_mesh.h"

namespace clearance {
namespace {

constexpr double pi = std::numbers::pi;

RobotShape shape(RobotShapeKind kind, const Vec<3>& size) {
  RobotShape shape;
  shape.kind = kind;
  shape.size = size;
  shape.pose.position = {0.3, -0.2, 0.1};
  shape.pose.rotation = Eigen::AngleAxisd(0.7, Vec<3>(1, 2, 3).normalized()).toRotationMatrix();
  return shape;
}

TEST(ShapeInertia, IsThatOfAFinePolyhedron) {
  for (const RobotShape& of :
       {shape(RobotShapeKind::box, {0.1, 0.2, 0.3}), shape(RobotShapeKind::ellipsoid, {0.1, 0.2, 0.15}),
        shape(RobotShapeKind::cylinder, {0.1, 0.3, 1}), shape(RobotShapeKind::capsule, {0.1, 0.3, 1})}) {
    const Mesh mesh = mesh_of_shape(of, 512);
    const MassProperties fine = mass_properties_of_solid(mesh.vertices, mesh.triangles);
    const RobotInertia exact = inertia_of_shape(of, 500.0);
    EXPECT_NEAR(exact.mass, 500.0 * fine.measure, 2e-3 * exact.mass);
    EXPECT_LT((exact.center - fine.center).norm(), 1e-6);
    EXPECT_LT((exact.tensor - 500.0 * fine.inertia()).norm(), 4e-3 * exact.tensor.norm());
  }
}

TEST(ShapeInertia, BallAndCylinderHaveTheClosedForm) {
  const RobotInertia ball = inertia_of_shape(shape(RobotShapeKind::ellipsoid, {0.1, 0.1, 0.1}), 1000.0);
  EXPECT_NEAR(ball.mass, 4.0 / 3.0 * pi, 1e-12);
  EXPECT_LT((ball.tensor - 0.4 * ball.mass * 0.01 * Mat<3>::Identity()).norm(), 1e-12);
  RobotShape upright = shape(RobotShapeKind::cylinder, {0.1, 0.1, 1});
  upright.pose.rotation = Mat<3>::Identity();
  const RobotInertia cylinder = inertia_of_shape(upright, 1000.0);
  EXPECT_NEAR(cylinder.mass, 2.0 * pi, 1e-12);
  EXPECT_NEAR(cylinder.tensor(2, 2), 0.5 * cylinder.mass * 0.01, 1e-12);
}

TEST(ShapeInertia, MeshThatPointsInwardsWeighsAsOneThatPointsOutwards) {
  RobotShape mesh;
  mesh.kind = RobotShapeKind::mesh;
  mesh.mesh = mesh_of_shape(shape(RobotShapeKind::box, {0.1, 0.2, 0.3}), 64);
  const RobotInertia outwards = inertia_of_shape(mesh, 1000.0);
  for (auto& triangle : mesh.mesh.triangles) std::swap(triangle[0], triangle[1]);
  const RobotInertia inwards = inertia_of_shape(mesh, 1000.0);
  EXPECT_NEAR(outwards.mass, 48.0, 1e-9);
  EXPECT_NEAR(inwards.mass, 48.0, 1e-9);
  EXPECT_LT((outwards.tensor - inwards.tensor).norm(), 1e-9);
  EXPECT_TRUE(are_solid({mesh}));
  mesh.mesh.triangles.pop_back();
  EXPECT_FALSE(are_solid({mesh}));
}

TEST(ShapeInertia, OneThatABodyHasIsTakenAsItIs) {
  const RobotInertia rod = {2.0, Vec<3>::Zero(), Vec<3>(0.01, 0.5, 0.5).asDiagonal()};
  EXPECT_EQ(check_inertia(rod, {}).told, "");
  EXPECT_EQ(check_inertia(rod, {}).inertia.tensor, rod.tensor);
}

TEST(ShapeInertia, OneThatNoBodyHasIsReplacedByThatOfTheShapesOrABall) {
  RobotInertia given = {2.0, Vec<3>(0.1, 0, 0), Mat<3>::Zero()};
  RobotShape box = shape(RobotShapeKind::box, {0.1, 0.1, 0.1});
  for (const Mat<3>& bad : {Mat<3>(Mat<3>::Zero()), Mat<3>(Vec<3>(0.01, -0.01, 0.01).asDiagonal()),
                            Mat<3>(Vec<3>(0.01, 0.01, 0.03).asDiagonal()),
                            Mat<3>((Mat<3>() << 0.01, 0.02, 0, 0.02, 0.01, 0, 0, 0, 0.01).finished())}) {
    given.tensor = bad;
    const CheckedInertia of_shape = check_inertia(given, {box});
    EXPECT_NEAR(of_shape.inertia.tensor(0, 0), 2.0 * 0.04 / 6.0, 1e-12);
    EXPECT_NE(of_shape.told.find("the inertia of its shapes with its mass of 2 kg"), std::string::npos)
        << of_shape.told;
    const CheckedInertia of_ball = check_inertia(given, {});
    const double radius_sq = std::pow(2.0 / (4.0 / 3.0 * pi * 1000.0), 2.0 / 3.0);
    EXPECT_NEAR(of_ball.inertia.tensor(1, 1), 0.4 * 2.0 * radius_sq, 1e-12);
    EXPECT_NE(of_ball.told.find("the inertia of a ball of water"), std::string::npos) << of_ball.told;
    EXPECT_EQ(of_ball.inertia.center, given.center);
  }
}

}  // namespace
}  // namespace clearance
