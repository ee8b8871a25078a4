#include "clearance/geometry/hanging_nodes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/mesh_mass.h"
#include "clearance/geometry/surface.h"

namespace clearance {
namespace {

/// Returns the surface of a unit cube with a corner at the origin.
Mesh cube() {
  Mesh mesh = surface_of(make_box({1, 1, 1}, {1, 1, 1}));
  for (Vec<3>& x : mesh.vertices) x += Vec<3>::Constant(0.5);
  return mesh;
}

const Vec<3>& at(const Mesh& mesh, int v) {
  return mesh.vertices[v];
}

/// Cuts one triangle of a surface at nodes in one of its edges; its neighbour keeps the edge.
void hang_nodes(Mesh& mesh, std::size_t triangle, std::size_t side, const std::vector<double>& shares) {
  const auto [a, b, c] = std::array{mesh.triangles[triangle][side], mesh.triangles[triangle][(side + 1) % 3],
                                    mesh.triangles[triangle][(side + 2) % 3]};
  int last = a;
  for (const double share : shares) {
    const int node = static_cast<int>(mesh.vertices.size());
    mesh.vertices.push_back(at(mesh, a) + share * (at(mesh, b) - at(mesh, a)));
    mesh.triangles.push_back({last, node, c});
    last = node;
  }
  mesh.triangles[triangle] = {last, b, c};
}

/// Returns the triangle on the other side of an edge, and which of its edges that is.
std::pair<std::size_t, std::size_t> neighbour_of(const Mesh& mesh, std::size_t triangle, std::size_t side) {
  const int a = mesh.triangles[triangle][side], b = mesh.triangles[triangle][(side + 1) % 3];
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (mesh.triangles[t][k] == b && mesh.triangles[t][(k + 1) % 3] == a) return {t, k};
    }
  }
  return {0, 0};
}

void expect_closed_cube(Mesh& mesh, int num_split, double tolerance = 1e-15) {
  const std::size_t num_vertices = mesh.vertices.size();
  EXPECT_EQ(split_at_hanging_nodes(mesh.vertices, mesh.triangles), num_split);
  EXPECT_EQ(mesh.vertices.size(), num_vertices);
  EXPECT_TRUE(is_closed_manifold(mesh.triangles));
  EXPECT_NEAR(mass_properties_of_solid(mesh.vertices, mesh.triangles).measure, 1.0, tolerance);
  const MeshMass mass = mass_of_mesh(mesh, 1e-3);
  EXPECT_FALSE(mass.has_thin_parts);
  EXPECT_NEAR(mass.properties.measure, 1.0, tolerance);
}

TEST(HangingNodes, OneInAnyEdgeClosesTheCubeExactly) {
  for (std::size_t triangle = 0; triangle < 12; ++triangle) {
    for (std::size_t side = 0; side < 3; ++side) {
      Mesh mesh = cube();
      hang_nodes(mesh, triangle, side, {0.5});
      EXPECT_FALSE(is_closed_manifold(mesh.triangles));
      expect_closed_cube(mesh, 1);
    }
  }
}

TEST(HangingNodes, SeveralInOneEdge) {
  Mesh mesh = cube();
  hang_nodes(mesh, 3, 1, {0.125, 0.25, 0.5, 0.625, 0.875});
  expect_closed_cube(mesh, 1);
}

TEST(HangingNodes, OnBothSidesOfOneEdge) {
  Mesh mesh = cube();
  const auto [other, side] = neighbour_of(mesh, 5, 0);
  hang_nodes(mesh, 5, 0, {0.25, 0.75});
  hang_nodes(mesh, other, side, {0.5, 0.625});
  // Pieces of either side have nodes of the other one in their edges.
  Mesh split = mesh;
  EXPECT_GE(split_at_hanging_nodes(split.vertices, split.triangles), 2);
  EXPECT_TRUE(is_closed_manifold(split.triangles));
  EXPECT_NEAR(mass_properties_of_solid(split.vertices, split.triangles).measure, 1.0, 1e-15);
}

TEST(HangingNodes, InAllEdgesOfOneTriangle) {
  Mesh mesh = cube();
  for (std::size_t side = 0; side < 3; ++side) {
    const auto [other, its_side] = neighbour_of(mesh, 7, side);
    hang_nodes(mesh, other, its_side, {0.25, 0.5});
  }
  expect_closed_cube(mesh, 3);
}

TEST(HangingNodes, OfTrianglesWithCornersOfTheirOwn) {
  Mesh mesh = cube(), soup;
  hang_nodes(mesh, 2, 0, {0.25, 0.5});
  for (const auto& triangle : mesh.triangles) {
    const int first = static_cast<int>(soup.vertices.size());
    for (const int v : triangle) soup.vertices.push_back(at(mesh, v));
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  EXPECT_EQ(split_at_hanging_nodes(soup.vertices, soup.triangles), 1);
  EXPECT_NEAR(mass_of_mesh(soup, 1e-3).properties.measure, 1.0, 1e-15);
}

TEST(HangingNodes, RoundedToSinglePrecision) {
  // After a turn, nodes no longer lie exactly in their edges; far from the origin, even less so.
  const Mat<3, 3> turn = Eigen::AngleAxisd(0.7, Vec<3>(1, 2, 3).normalized()).toRotationMatrix();
  for (const double offset : {0.0, 10.0, 1000.0}) {
    Mesh mesh = cube();
    hang_nodes(mesh, 0, 1, {0.3, 0.55, 0.9});
    hang_nodes(mesh, 9, 2, {0.41});
    for (Vec<3>& x : mesh.vertices) {
      const Vec<3> turned = turn * x + Vec<3>::Constant(offset);
      for (int k = 0; k < 3; ++k) x[k] = static_cast<double>(static_cast<float>(turned[k]));
    }
    EXPECT_GE(split_at_hanging_nodes(mesh.vertices, mesh.triangles), 2) << offset;
    EXPECT_TRUE(is_closed_manifold(mesh.triangles)) << offset;
    EXPECT_NEAR(mass_properties_of_solid(mesh.vertices, mesh.triangles).measure, 1.0,
                10.0 * hanging_node_tolerance(mesh.vertices))
        << offset;
  }
}

TEST(HangingNodes, OfSixDigits) {
  Mesh mesh = cube();
  hang_nodes(mesh, 4, 0, {1.0 / 3.0, 2.0 / 3.0});
  for (Vec<3>& x : mesh.vertices) x = (1e6 * x).array().round() * 1e-6;
  expect_closed_cube(mesh, 1, 1e-5);
}

TEST(HangingNodes, OneBesideTheEdgeIsNone) {
  Mesh mesh = cube();
  hang_nodes(mesh, 0, 0, {0.5});
  mesh.vertices.back() += Vec<3>::Constant(1e-3);
  const Triangles before = mesh.triangles;
  EXPECT_EQ(split_at_hanging_nodes(mesh.vertices, mesh.triangles), 0);
  EXPECT_EQ(mesh.triangles, before);
}

TEST(HangingNodes, HolesAndClosedSurfacesStay) {
  Mesh mesh = cube();
  Triangles before = mesh.triangles;
  EXPECT_EQ(split_at_hanging_nodes(mesh.vertices, mesh.triangles), 0);
  EXPECT_EQ(mesh.triangles, before);
  mesh.triangles.pop_back();
  before = mesh.triangles;
  EXPECT_EQ(split_at_hanging_nodes(mesh.vertices, mesh.triangles), 0);
  EXPECT_EQ(mesh.triangles, before);
}

TEST(HangingNodes, SplitSurfaceOfASphereKeepsItsVolume) {
  Mesh mesh = surface_of(make_sphere(1.0, 3));
  const double volume = mass_properties_of_solid(mesh.vertices, mesh.triangles).measure;
  const std::size_t count = mesh.triangles.size();
  for (std::size_t t = 0; t < count; t += 7) hang_nodes(mesh, t, t % 3, {0.3, 0.6});
  EXPECT_GT(split_at_hanging_nodes(mesh.vertices, mesh.triangles), 3);
  EXPECT_TRUE(is_closed_manifold(mesh.triangles));
  EXPECT_NEAR(mass_properties_of_solid(mesh.vertices, mesh.triangles).measure, volume, 1e-12);
}

}  // namespace
}  // namespace clearance
