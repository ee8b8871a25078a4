#include "clearance/geometry/mass_properties.h"

#include <gtest/gtest.h>

#include "clearance/geometry/generators.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::relative_difference;

TEST(MassProperties, Box_HasClosedFormVolumeCenterAndInertia) {
  const Vec<3> size(1, 2, 3), shift(7, -8, 9);
  Mesh box = surface_of(make_box(size, {2, 3, 1}));
  for (Vec<3>& vertex : box.vertices) vertex += shift;
  const MassProperties solid = mass_properties_of_solid(box.vertices, box.triangles);
  EXPECT_NEAR(solid.measure, 6.0, 1e-13);
  EXPECT_LT((solid.center - shift).norm(), 1e-13);
  const Vec<3> diagonal = Vec<3>(4 + 9, 1 + 9, 1 + 4) * (6.0 / 12.0);
  EXPECT_LT((solid.inertia() - Mat<3>(diagonal.asDiagonal())).norm(), 1e-12);
}

TEST(MassProperties, SurfaceIntegral_EqualsSumOverTets) {
  Mesh mesh = make_sphere(1.0, 3);
  // The shape is sheared and off-centre and has no symmetries.
  const Mat<3> map = (Mat<3>() << 1.0, 0.3, -0.2, 0.1, 2.0, 0.4, 0.0, -0.5, 0.7).finished();
  for (Vec<3>& vertex : mesh.vertices) vertex = map * vertex + Vec<3>(0.2, 0.3, 0.4) * vertex.squaredNorm();
  const MassProperties by_tets = mass_properties_of_tets(mesh.vertices, mesh.tets);
  const MassProperties by_surface = mass_properties_of_solid(mesh.vertices, boundary_triangles(mesh.tets));
  EXPECT_NEAR(by_surface.measure, by_tets.measure, 1e-13);
  EXPECT_LT((by_surface.center - by_tets.center).norm(), 1e-13);
  EXPECT_LT(relative_difference(by_surface.second_moment, by_tets.second_moment), 1e-13);
}

TEST(MassProperties, FarFromTheOrigin_LosesNothing) {
  Mesh box = surface_of(make_box(Vec<3>(1, 1, 1), {1, 1, 1}));
  for (Vec<3>& vertex : box.vertices) vertex += Vec<3>::Constant(1048576.0);  // exact
  const MassProperties solid = mass_properties_of_solid(box.vertices, box.triangles);
  EXPECT_NEAR(solid.measure, 1.0, 1e-15);
  EXPECT_LT(relative_difference(solid.inertia(), Mat<3>(Mat<3>::Identity() / 6.0)), 1e-14);
}

TEST(MassProperties, InwardSurface_HasNegativeVolume) {
  Mesh box = surface_of(make_box(Vec<3>(1, 1, 1), {1, 1, 1}));
  for (auto& triangle : box.triangles) std::swap(triangle[1], triangle[2]);
  EXPECT_NEAR(mass_properties_of_solid(box.vertices, box.triangles).measure, -1.0, 1e-15);
}

TEST(MassProperties, Area2d_BoundaryEqualsTrianglesAndClosedForm) {
  const Mesh rectangle = make_rectangle(2.0, 3.0, 3, 4);
  const MassProperties inside = mass_properties_of_triangles(rectangle.vertices, rectangle.triangles);
  const MassProperties around = mass_properties_of_area(rectangle.vertices, boundary_edges(rectangle.triangles));
  EXPECT_NEAR(inside.measure, 6.0, 1e-14);
  EXPECT_NEAR(around.measure, 6.0, 1e-14);
  EXPECT_LT(relative_difference(inside.second_moment, around.second_moment), 1e-13);
  EXPECT_NEAR(inside.inertia()(2, 2), 6.0 * (4.0 + 9.0) / 12.0, 1e-13);
}

TEST(MassProperties, Rod_HasClosedFormLengthAndInertia) {
  const Vertices vertices = {{1, 0, 0}, {1, 2, 0}, {1, 5, 0}};
  const MassProperties rod = mass_properties_of_edges(vertices, {{0, 1}, {1, 2}});
  EXPECT_DOUBLE_EQ(rod.measure, 5.0);
  EXPECT_LT((rod.center - Vec<3>(1, 2.5, 0)).norm(), 1e-15);
  EXPECT_NEAR(rod.inertia()(0, 0), 125.0 / 12.0, 1e-13);
  EXPECT_NEAR(rod.inertia()(1, 1), 0.0, 1e-13);
}

TEST(MassProperties, OfNothing_AreZeroAndFinite) {
  const MassProperties none = mass_properties_of_solid({}, {});
  EXPECT_EQ(none.measure, 0.0);
  EXPECT_EQ(none.center, Vec<3>(0, 0, 0));
}

TEST(BoundingBox, HoldsAllPoints) {
  BoundingBox box;
  EXPECT_TRUE(box.is_empty());
  EXPECT_EQ(box.diagonal(), 0.0);
  box = bounding_box({{1, 2, 3}, {-1, 4, 3}});
  EXPECT_FALSE(box.is_empty());
  EXPECT_EQ(box.min, Vec<3>(-1, 2, 3));
  EXPECT_EQ(box.max, Vec<3>(1, 4, 3));
  EXPECT_DOUBLE_EQ(box.diagonal(), std::sqrt(8.0));
}

}  // namespace
}  // namespace clearance
