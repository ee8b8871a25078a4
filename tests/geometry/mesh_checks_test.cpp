#include "clearance/geometry/mesh_checks.h"

#include <gtest/gtest.h>

namespace clearance {
namespace {

const Triangles tetrahedron = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

TEST(SurfaceDefects, ClosedSurface_HasNone) {
  const SurfaceDefects defects = find_surface_defects(tetrahedron);
  EXPECT_TRUE(defects.is_closed_manifold());
  EXPECT_EQ(euler_characteristic(tetrahedron), 2);
}

TEST(SurfaceDefects, MissingTriangle_OpensItsEdges) {
  const SurfaceDefects defects = find_surface_defects({{0, 2, 1}, {0, 1, 3}, {0, 3, 2}});
  EXPECT_EQ(defects.open_edges, (Edges{{1, 2}, {1, 3}, {2, 3}}));
  EXPECT_TRUE(defects.is_manifold());
  EXPECT_FALSE(defects.is_closed_manifold());
}

TEST(SurfaceDefects, FlippedTriangle_IsInconsistentAlongItsEdges) {
  const SurfaceDefects defects = find_surface_defects({{0, 1, 2}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}});
  EXPECT_EQ(defects.inconsistent_edges, (Edges{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_TRUE(defects.open_edges.empty());
}

TEST(SurfaceDefects, ThreeTrianglesAtAnEdge_AreReported) {
  const SurfaceDefects defects = find_surface_defects({{0, 1, 2}, {1, 0, 3}, {0, 1, 4}});
  EXPECT_EQ(defects.crowded_edges, (Edges{{0, 1}}));
  EXPECT_FALSE(defects.is_manifold());
}

TEST(SurfaceDefects, TwoTetrahedraThatShareAVertex_PinchIt) {
  Triangles two = tetrahedron;
  for (auto triangle : tetrahedron) {
    for (int& v : triangle) v = v == 0 ? 0 : v + 3;
    two.push_back(triangle);
  }
  const SurfaceDefects defects = find_surface_defects(two);
  EXPECT_EQ(defects.pinched_vertices, std::vector<int>{0});
  EXPECT_TRUE(defects.open_edges.empty() && defects.crowded_edges.empty());
  EXPECT_FALSE(is_closed_manifold(two));
}

TEST(SurfaceDefects, RepeatedVertex_IsACollapsedTriangle) {
  const SurfaceDefects defects = find_surface_defects({{0, 1, 2}, {1, 1, 2}});
  EXPECT_EQ(defects.collapsed_triangles, std::vector<int>{1});
}

TEST(ConnectedComponents, AreNumberedByTheirFirstVertex) {
  Mesh mesh;
  mesh.vertices.assign(9, Vec<3>(0, 0, 0));
  mesh.triangles = {{5, 1, 3}};
  mesh.tets = {{3, 6, 7, 1}};
  mesh.edges = {{2, 8}};
  // 0 and 4 are alone.
  EXPECT_EQ(connected_components(mesh), (std::vector<int>{0, 1, 2, 1, 3, 1, 1, 1, 2}));
}

TEST(ElementDefects, NameInvertedAndFlatElements) {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {2, 0, 0}};
  mesh.tets = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 2, 4}};
  mesh.triangles = {{0, 1, 2}, {0, 1, 5}};
  mesh.edges = {{0, 1}, {2, 2}};
  const ElementDefects defects = find_element_defects(mesh);
  EXPECT_EQ(defects.inverted_tets, std::vector<int>{1});
  EXPECT_EQ(defects.flat_tets, std::vector<int>{2});
  EXPECT_EQ(defects.flat_triangles, std::vector<int>{1});
  EXPECT_EQ(defects.zero_edges, std::vector<int>{1});
  EXPECT_TRUE(defects.inverted_triangles.empty());

  orient_positively(mesh);
  EXPECT_TRUE(find_element_defects(mesh).inverted_tets.empty());
}

TEST(ElementDefects, TinyElementsAreNotFlat) {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {1e-9, 0, 0}, {0, 1e-9, 0}, {0, 0, 1e-9}};
  mesh.tets = {{0, 1, 2, 3}};
  EXPECT_TRUE(find_element_defects(mesh).empty());
}

TEST(ElementDefects, ClockwiseTrianglesIn2dAreInverted) {
  Mesh mesh;
  mesh.dim = 2;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 1}};
  EXPECT_EQ(find_element_defects(mesh).inverted_triangles, std::vector<int>{1});
}

}  // namespace
}  // namespace clearance
