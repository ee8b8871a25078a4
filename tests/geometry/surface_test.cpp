#include "clearance/geometry/surface.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/mass_properties.h"

namespace clearance {
namespace {

TEST(Surface, BoundaryOfOneTet_IsItsFourFacesPointingOutwards) {
  const std::vector<Vec<3>> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const Triangles faces = boundary_triangles({{0, 1, 2, 3}});
  ASSERT_EQ(faces.size(), 4u);
  EXPECT_DOUBLE_EQ(mass_properties_of_solid(vertices, faces).measure, 1.0 / 6.0);
}

TEST(Surface, BoundaryOfTwoTets_LeavesOutTheSharedFace) {
  const Triangles faces = boundary_triangles({{0, 1, 2, 3}, {1, 2, 3, 4}});
  EXPECT_EQ(faces.size(), 6u);
  for (auto face : faces) {
    std::sort(face.begin(), face.end());
    EXPECT_NE(face, (std::array<int, 3>{1, 2, 3}));
  }
}

TEST(Surface, Boundary_FollowsTheOrderOfTheTets) {
  const auto tets = make_box(Vec<3>(1, 1, 1), {2, 2, 2}).tets;
  auto reversed = tets;
  std::reverse(reversed.begin(), reversed.end());
  Triangles forward = boundary_triangles(tets), backward = boundary_triangles(reversed);
  EXPECT_EQ(forward.size(), 48u);
  // Each face comes from its own tetrahedron, in its orientation: as sets they are equal.
  std::sort(forward.begin(), forward.end());
  std::sort(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward);
}

TEST(Surface, BoundaryEdges_AreTheOuterSidesCounterClockwise) {
  const Edges edges = boundary_edges({{0, 1, 2}, {0, 2, 3}});
  EXPECT_EQ(edges, (Edges{{0, 1}, {1, 2}, {2, 3}, {3, 0}}));
}

TEST(Surface, UniqueEdges_HaveEveryEdgeOnce) {
  EXPECT_EQ(unique_edges({{2, 1, 0}, {0, 2, 3}}), (Edges{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}}));
  EXPECT_TRUE(unique_edges({}).empty());
}

TEST(Surface, SurfaceOf_KeepsOnlyUsedVerticesAndTheVolume) {
  const Mesh box = make_box(Vec<3>(1, 2, 3), {3, 3, 3});
  const Mesh surface = surface_of(box);
  EXPECT_TRUE(surface.tets.empty());
  EXPECT_EQ(surface.vertices.size(), 64u - 8u);
  EXPECT_NEAR(mass_properties_of_solid(surface.vertices, surface.triangles).measure, 6.0, 1e-13);
}

TEST(Surface, SurfaceOf2d_IsTheBoundaryCurve) {
  const Mesh surface = surface_of(make_rectangle(2.0, 3.0, 4, 5));
  EXPECT_TRUE(surface.triangles.empty());
  EXPECT_EQ(surface.edges.size(), 18u);
  EXPECT_EQ(surface.vertices.size(), 18u);
  EXPECT_NEAR(mass_properties_of_area(surface.vertices, surface.edges).measure, 6.0, 1e-13);
}

TEST(Surface, SurfaceOf_KeepsSegmentsAndPoints) {
  Mesh mesh;
  mesh.vertices = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  mesh.edges = {{1, 2}};
  mesh.points = {3};
  const Mesh surface = surface_of(mesh);
  EXPECT_EQ(surface.vertices.size(), 3u);
  EXPECT_EQ(surface.edges, (Edges{{0, 1}}));
  EXPECT_EQ(surface.points, std::vector<int>{2});
  EXPECT_EQ(surface.vertices[2], Vec<3>(2, 0, 0));
}

}  // namespace
}  // namespace clearance
