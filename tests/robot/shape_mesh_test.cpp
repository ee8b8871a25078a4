#include "clearance/io/robot/shape_mesh.h"

#include <gtest/gtest.h>

#include <cmath>

#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/io/robot/robot_overlaps.h"

namespace clearance {
namespace {

constexpr double pi = 3.14159265358979323846;

RobotShape shape(RobotShapeKind kind, const Vec<3>& size) {
  RobotShape shape;
  shape.kind = kind;
  shape.size = size;
  return shape;
}

struct Known {
  RobotShape shape;
  double volume;
};

TEST(ShapeMesh, IsClosedPointsOutwardsAndHasTheShapesVolumeUpToItsFacets) {
  for (const Known& known :
       {Known{shape(RobotShapeKind::box, {1, 2, 3}), 48.0},
        Known{shape(RobotShapeKind::ellipsoid, {1, 2, 0.5}), 4.0 / 3.0 * pi},
        Known{shape(RobotShapeKind::cylinder, {0.5, 2, 1}), pi},
        Known{shape(RobotShapeKind::capsule, {0.5, 1, 1}), pi * 0.25 * 2.0 + 4.0 / 3.0 * pi * 0.125}}) {
    const Mesh mesh = mesh_of_shape(known.shape, 64);
    EXPECT_TRUE(is_closed_manifold(mesh.triangles));
    const double volume = mass_properties_of_solid(mesh.vertices, mesh.triangles).measure;
    // Polyhedra have their vertices on the shape: 64 around take away at most 2 %.
    EXPECT_LE(volume, known.volume * (1 + 1e-12));
    EXPECT_GT(volume, 0.98 * known.volume);
  }
}

TEST(ShapeMesh, ExtentsAreExact) {
  for (const auto& [of, half] : {std::pair{shape(RobotShapeKind::capsule, {0.25, 1, 1}), Vec<3>(0.25, 0.25, 1.25)},
                                 std::pair{shape(RobotShapeKind::cylinder, {0.5, 2, 1}), Vec<3>(0.5, 0.5, 2)},
                                 std::pair{shape(RobotShapeKind::ellipsoid, {1, 2, 3}), Vec<3>(1, 2, 3)}}) {
    const BoundingBox box = bounding_box(mesh_of_shape(of, 64).vertices);
    EXPECT_LT((box.max - half).norm(), 1e-12);
    EXPECT_LT((box.min + half).norm(), 1e-12);
  }
}

TEST(ShapeMesh, MiddlesOfSidesAreAsFarInsideAsTheNumberOfSidesSays) {
  for (const int sides : {64, 192}) {
    for (const RobotShape& of :
         {shape(RobotShapeKind::cylinder, {0.5, 2, 1}), shape(RobotShapeKind::capsule, {0.5, 1, 1})}) {
      double least = infinity;
      const Mesh mesh = mesh_of_shape(of, sides);
      // (Edges of the side: both ends on the radius, at different angles.)
      for (const auto& [a, b, c] : mesh.triangles) {
        const Vec<3>&p = mesh.vertices[a], &q = mesh.vertices[b];
        const bool is_side = std::abs(p.head<2>().norm() - 0.5) < 1e-12 && std::abs(q.head<2>().norm() - 0.5) < 1e-12;
        if (is_side) least = std::min(least, (0.5 * (p + q)).head<2>().norm());
      }
      EXPECT_NEAR(least, 0.5 * std::cos(pi / sides), 1e-9);
    }
  }
}

TEST(ShapeMesh, NumbersOfVerticesAreForetold) {
  for (const int sides : {16, 64, 100, 192}) {
    for (const RobotShape& of :
         {shape(RobotShapeKind::cylinder, {0.5, 2, 1}), shape(RobotShapeKind::capsule, {0.5, 1, 1}),
          shape(RobotShapeKind::ellipsoid, {1, 2, 3})}) {
      EXPECT_EQ(num_vertices_of_round(of, sides), static_cast<int>(mesh_of_shape(of, sides).vertices.size()));
    }
  }
}

TEST(RobotInertia, ParallelAxesOfTwoPointsGiveThatOfADumbbell) {
  const RobotInertia point = {2.0, Vec<3>(0.5, 0, 0), Mat<3>::Zero()};
  const RobotInertia other = {2.0, Vec<3>(-0.5, 0, 0), Mat<3>::Zero()};
  const RobotInertia both = combine(point, other);
  EXPECT_EQ(both.mass, 4.0);
  EXPECT_LT(both.center.norm(), 1e-15);
  EXPECT_LT((both.tensor - Mat<3>(Vec<3>(0, 1, 1).asDiagonal())).norm(), 1e-15);
}

Mesh ball_at(const Vec<3>& center, double radius) {
  RobotShape ball = shape(RobotShapeKind::ellipsoid, Vec<3>::Constant(radius));
  ball.pose.position = center;
  return mesh_of_shape(ball, 64);
}

TEST(RobotOverlaps, FindsSurfacesThatMeetAndBodiesInsideOfOthersOfOneMechanism) {
  const std::vector<Mesh> meshes = {ball_at({0, 0, 0}, 1.0), ball_at({1.5, 0, 0}, 1.0), ball_at({0.1, 0, 0}, 0.2),
                                    ball_at({5, 0, 0}, 1.0), ball_at({0, 1, 0}, 0.5)};
  using Pairs = std::vector<std::array<int, 2>>;
  EXPECT_EQ(find_overlaps(meshes, {0, 0, 0, 0, 1}, {}), (Pairs{{0, 1}, {0, 2}}));
  EXPECT_EQ(find_overlaps(meshes, {0, 0, 0, 0, 1}, {{0, 1}}), (Pairs{{0, 2}}));
  EXPECT_EQ(find_overlaps(meshes, {0, 1, 2, 3, 4}, {}), Pairs{});
}

}  // namespace
}  // namespace clearance
