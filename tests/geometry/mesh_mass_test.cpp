#include "clearance/geometry/mesh_mass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "clearance/geometry/generators.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::relative_difference;

constexpr double pi = 3.14159265358979323846;

void expect_same(const MassProperties& a, const MassProperties& b, double tolerance) {
  EXPECT_NEAR(a.measure, b.measure, tolerance * std::abs(b.measure));
  EXPECT_LT((a.center - b.center).norm(), tolerance);
  EXPECT_LT(relative_difference(a.second_moment, b.second_moment), tolerance);
}

Mesh moved(Mesh mesh, const Vec<3>& by) {
  for (Vec<3>& vertex : mesh.vertices) vertex += by;
  return mesh;
}

/// Returns a mesh with all elements of both.
Mesh joined(Mesh a, const Mesh& b) {
  const int first = static_cast<int>(a.vertices.size());
  const auto shifted = [&](auto element) {
    for (int& v : element) v += first;
    return element;
  };
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& e : b.tets) a.tets.push_back(shifted(e));
  for (const auto& e : b.triangles) a.triangles.push_back(shifted(e));
  for (const auto& e : b.edges) a.edges.push_back(shifted(e));
  for (const int v : b.points) a.points.push_back(v + first);
  return a;
}

Mesh inside_out(Mesh mesh) {
  for (auto& triangle : mesh.triangles) std::swap(triangle[0], triangle[1]);
  for (auto& edge : mesh.edges) std::swap(edge[0], edge[1]);
  return mesh;
}

MassProperties solid(const Mesh& mesh) {
  return mass_of_mesh(mesh, 0.1).properties;
}

TEST(MeshMass, TetsAndTheirSurface_Agree) {
  const Mesh sphere = moved(make_sphere(0.7, 3), Vec<3>(3, 4, 5));
  const MeshMass by_tets = mass_of_mesh(sphere, 0.1), by_surface = mass_of_mesh(surface_of(sphere), 0.1);
  expect_same(by_surface.properties, by_tets.properties, 1e-13);
  EXPECT_FALSE(by_tets.has_thin_parts || by_surface.has_thin_parts);
}

TEST(MeshMass, SphereMesh_ConvergesToTheBall) {
  double last_error = 1.0;
  for (const int cells : {2, 4, 8}) {
    const MassProperties ball = solid(surface_of(make_sphere(1.0, cells)));
    const double volume = 4.0 / 3.0 * pi;
    const double error = std::max(std::abs(ball.measure / volume - 1.0),
                                  relative_difference(ball.second_moment, Mat<3>(volume / 5.0 * Mat<3>::Identity())));
    EXPECT_LT(error, 0.35 * last_error) << "quadratic convergence divides by 4";
    last_error = error;
  }
}

TEST(MeshMass, OrientationsOfTriangles_DoNotMatter) {
  const Mesh box = surface_of(make_box(Vec<3>(1, 2, 3), {2, 2, 2}));
  const MassProperties expected = solid(box);
  expect_same(solid(inside_out(box)), expected, 1e-14);
  std::mt19937_64 rng(7);
  Mesh mixed = box;
  for (auto& triangle : mixed.triangles) {
    if (rng() % 2 == 0) std::swap(triangle[1], triangle[2]);
  }
  std::shuffle(mixed.triangles.begin(), mixed.triangles.end(), rng);
  expect_same(solid(mixed), expected, 1e-13);
}

TEST(MeshMass, VerticesInTheSamePlace_CountAsOne) {
  const Mesh box = surface_of(make_box(Vec<3>(1, 2, 3), {1, 1, 1}));
  Mesh soup;
  for (const auto& triangle : box.triangles) {
    const int first = static_cast<int>(soup.vertices.size());
    for (const int v : triangle) soup.vertices.push_back(box.vertices[v]);
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  EXPECT_FALSE(mass_of_mesh(soup, 0.1).has_thin_parts);
  expect_same(solid(soup), solid(box), 1e-14);
}

TEST(MeshMass, Cavity_IsTakenAway) {
  const Mesh outer = surface_of(make_box(Vec<3>(2, 2, 2), {1, 1, 1}));
  const Mesh inner = inside_out(surface_of(make_box(Vec<3>(1, 1, 1), {1, 1, 1})));
  for (const Mesh& hollow : {joined(outer, inner), joined(inner, outer), inside_out(joined(outer, inner))}) {
    const MassProperties mass = solid(hollow);
    EXPECT_NEAR(mass.measure, 7.0, 1e-13);
    EXPECT_LT(relative_difference(mass.second_moment, Mat<3>((8.0 * 4 - 1.0) / 12.0 * Mat<3>::Identity())), 1e-13);
  }
}

TEST(MeshMass, PartsSideBySide_AddUpHoweverTheyAreTurned) {
  const Mesh box = surface_of(make_box(Vec<3>(1, 1, 1), {1, 1, 1}));
  const Mesh other = moved(inside_out(box), Vec<3>(3, 0, 0));
  const MassProperties two = solid(joined(box, other));
  EXPECT_NEAR(two.measure, 2.0, 1e-14);
  EXPECT_LT((two.center - Vec<3>(1.5, 0, 0)).norm(), 1e-14);
  EXPECT_NEAR(two.second_moment(0, 0), 2.0 / 12.0 + 2.0 * 1.5 * 1.5, 1e-13);
}

TEST(MeshMass, SolidsThatShareAnEdge_AreClosed) {
  Mesh two = surface_of(make_box(Vec<3>(1, 1, 1), {1, 1, 1}));
  two = joined(two, moved(two, Vec<3>(1, 1, 0)));
  EXPECT_FALSE(mass_of_mesh(two, 0.1).has_thin_parts);
  EXPECT_NEAR(solid(two).measure, 2.0, 1e-14);
}

TEST(MeshMass, OpenSurface_IsASheetWithThickness) {
  const MeshMass sheet = mass_of_mesh(make_sheet(2.0, 3.0, 2, 3), 0.1);
  EXPECT_TRUE(sheet.has_thin_parts);
  expect_same(sheet.properties, solid(surface_of(make_box(Vec<3>(2.0, 0.1, 3.0), {1, 1, 1}))), 1e-13);
}

TEST(MeshMass, TwoSidesOfASheet_AreASheet) {
  const Mesh sheet = make_sheet(1.0, 1.0, 1, 1);
  const MeshMass both = mass_of_mesh(joined(sheet, inside_out(sheet)), 0.1);
  EXPECT_TRUE(both.has_thin_parts);
  EXPECT_NEAR(both.properties.measure, 0.2, 1e-14);
}

TEST(MeshMass, RodAndBall_HaveTheirClosedForms) {
  Mesh rod;
  rod.vertices = {{0, 1, 0}, {0, 1, 2}};
  rod.edges = {{0, 1}};
  const MassProperties cylinder = solid(rod);
  const double volume = 2.0 * pi * 0.05 * 0.05;
  EXPECT_NEAR(cylinder.measure, volume, 1e-15);
  EXPECT_NEAR(cylinder.second_moment(0, 0), volume * 0.05 * 0.05 / 4.0, 1e-16);
  EXPECT_NEAR(cylinder.second_moment(2, 2), volume * 4.0 / 12.0, 1e-15);

  Mesh ball;
  ball.vertices = {{1, 2, 3}};
  ball.points = {0};
  const MassProperties sphere = solid(ball);
  EXPECT_NEAR(sphere.measure, pi * 1e-3 / 6.0, 1e-18);
  EXPECT_LT((sphere.center - Vec<3>(1, 2, 3)).norm(), 1e-15);
  EXPECT_LT(relative_difference(sphere.inertia(), Mat<3>(0.4 * sphere.measure * 0.0025 * Mat<3>::Identity())), 1e-13);
}

TEST(MeshMass, MixedMesh_IsTheSumOfItsParts) {
  Mesh rod;
  rod.vertices = {{2, 0, 0}, {4, 0, 1}, {0, 5, 0}};
  rod.edges = {{0, 1}};
  rod.points = {2};
  const Mesh box = surface_of(make_box(Vec<3>(1, 1, 1), {1, 1, 1})), sheet = make_sheet(1.0, 1.0, 1, 1);
  const MassProperties all = solid(joined(joined(box, rod), moved(sheet, Vec<3>(0, 3, 0))));
  const MassProperties expected = combine(combine(solid(rod), solid(box)), solid(moved(sheet, Vec<3>(0, 3, 0))));
  expect_same(all, expected, 1e-13);
}

TEST(MeshMass, Plane_OutlineEqualsArea) {
  const Mesh disk = moved(make_disk(0.8, 4), Vec<3>(1, -2, 0));
  expect_same(solid(surface_of(disk)), solid(disk), 1e-13);
  Mesh mixed = surface_of(disk);
  for (std::size_t e = 0; e < mixed.edges.size(); e += 3) std::swap(mixed.edges[e][0], mixed.edges[e][1]);
  expect_same(solid(mixed), solid(disk), 1e-13);
  EXPECT_FALSE(mass_of_mesh(mixed, 0.1).has_thin_parts);
}

TEST(MeshMass, Plane_OpenLineAndPoint_HaveTheirClosedForms) {
  Mesh line;
  line.dim = 2;
  line.vertices = {{0, 0, 0}, {3, 4, 0}, {9, 9, 0}};
  line.edges = {{0, 1}};
  const MassProperties strip = solid(line);
  EXPECT_NEAR(strip.measure, 0.5, 1e-15);
  EXPECT_NEAR(strip.inertia()(2, 2), 0.5 * (25.0 + 0.01) / 12.0, 1e-14);
  line.edges.clear();
  line.points = {2};
  const MassProperties disk = solid(line);
  EXPECT_NEAR(disk.measure, pi * 0.0025, 1e-16);
  EXPECT_NEAR(disk.inertia()(2, 2), disk.measure * 0.0025 / 2.0, 1e-17);
}

TEST(MeshMass, OfNothing_IsZero) {
  const MeshMass none = mass_of_mesh(Mesh{}, 0.1);
  EXPECT_EQ(none.properties.measure, 0.0);
  EXPECT_FALSE(none.has_thin_parts);
}

}  // namespace
}  // namespace clearance
