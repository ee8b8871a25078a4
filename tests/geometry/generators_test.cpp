#include "clearance/geometry/generators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/mesh_checks.h"

namespace clearance {
namespace {

using std::numbers::pi;

double volume(const Mesh& mesh) {
  return mass_properties_of_tets(mesh.vertices, mesh.tets).measure;
}
double area(const Mesh& mesh) {
  return mass_properties_of_triangles(mesh.vertices, mesh.triangles).measure;
}

/// Returns 1 for a regular tetrahedron and 0 for a flat one: 6 sqrt(2) volume / (root mean square edge)^3.
double worst_quality(const Mesh& mesh) {
  double worst = infinity;
  for (const auto& tet : mesh.tets) {
    Vec<3> v[4];
    for (std::size_t i = 0; i < 4; ++i) v[i] = mesh.vertices[tet[i]];
    double sum_sq = 0.0;
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < i; ++j) sum_sq += (v[i] - v[j]).squaredNorm();
    }
    worst = std::min(worst, 6.0 * std::sqrt(2.0) * tet_volume(v[0], v[1], v[2], v[3]) / std::pow(sum_sq / 6.0, 1.5));
  }
  return worst;
}

/// Expects the properties of every solid: positive elements, a closed surface of the right topology around the same
/// volume, all vertices used, and no bad element.
void expect_valid_solid(const Mesh& mesh, int euler, double min_quality) {
  EXPECT_TRUE(find_element_defects(mesh).empty());
  EXPECT_GE(worst_quality(mesh), min_quality);
  const Triangles surface = boundary_triangles(mesh.tets);
  EXPECT_TRUE(is_closed_manifold(surface));
  EXPECT_EQ(euler_characteristic(surface), euler);
  EXPECT_NEAR(mass_properties_of_solid(mesh.vertices, surface).measure, volume(mesh), 1e-12 * volume(mesh));
  const std::vector<int> component = connected_components(mesh);
  EXPECT_EQ(*std::max_element(component.begin(), component.end()), 0);
}

TEST(Generators, Box_IsValidAndExact) {
  for (const int cells : {1, 2, 5}) {
    const Mesh mesh = make_box(Vec<3>(1, 2, 3), {cells, 2 * cells, 3 * cells});
    expect_valid_solid(mesh, 2, 0.5);
    EXPECT_NEAR(volume(mesh), 6.0, 1e-12);
    EXPECT_EQ(mesh.tets.size(), 36 * cells * cells * cells);
    const BoundingBox box = bounding_box(mesh.vertices);
    EXPECT_EQ(box.min, Vec<3>(-0.5, -1.0, -1.5));
    EXPECT_EQ(box.max, Vec<3>(0.5, 1.0, 1.5));
  }
}

TEST(Generators, Mat_IsAThinBox) {
  const Mesh mesh = make_mat(1.0, 2.0, 0.01, 10, 20);
  expect_valid_solid(mesh, 2, 0.05);
  EXPECT_NEAR(volume(mesh), 0.02, 1e-15);
  EXPECT_NEAR(bounding_box(mesh.vertices).size()[1], 0.01, 1e-16);
}

/// Expects a volume below the closed form, with an error that falls by nearly 4 when the cells are halved.
void expect_second_order(double coarse, double fine, double exact) {
  EXPECT_LT(coarse, exact);
  EXPECT_LT(fine, exact);
  EXPECT_NEAR((exact - coarse) / (exact - fine), 4.0, 0.5);
}

TEST(Generators, Sphere_IsValidAndConverges) {
  for (const int cells : {1, 2, 3, 8}) {
    const Mesh mesh = make_sphere(2.0, cells);
    expect_valid_solid(mesh, 2, 0.4);
    EXPECT_EQ(mesh.tets.size(), 20 * cells * cells * cells);
    for (const auto& triangle : boundary_triangles(mesh.tets)) {
      for (const int v : triangle) ASSERT_NEAR(mesh.vertices[v].norm(), 2.0, 1e-14);
    }
  }
  expect_second_order(volume(make_sphere(2.0, 5)), volume(make_sphere(2.0, 10)), 4.0 / 3.0 * pi * 8.0);
}

TEST(Generators, Cylinder_IsValidAndConverges) {
  for (const int cells : {1, 2, 5}) expect_valid_solid(make_cylinder(0.5, 1.0, cells, 2 * cells), 2, 0.2);
  expect_second_order(volume(make_cylinder(0.5, 2.0, 4, 3)), volume(make_cylinder(0.5, 2.0, 8, 3)), pi * 0.25 * 2.0);
}

TEST(Generators, Torus_IsValidAndConverges) {
  expect_valid_solid(make_torus(1.0, 0.3, 3, 1), 0, 0.01);
  expect_valid_solid(make_torus(1.0, 0.3, 24, 1), 0, 0.2);
  expect_valid_solid(make_torus(1.0, 0.3, 64, 3), 0, 0.2);
  expect_second_order(volume(make_torus(1.0, 0.3, 30, 3)), volume(make_torus(1.0, 0.3, 60, 6)),
                      2.0 * pi * pi * 1.0 * 0.09);
}

TEST(Generators, Rectangle_IsValidAndExact) {
  const Mesh mesh = make_rectangle(2.0, 3.0, 4, 5);
  EXPECT_EQ(mesh.dim, 2);
  EXPECT_TRUE(find_element_defects(mesh).empty());
  EXPECT_TRUE(find_surface_defects(mesh.triangles).inconsistent_edges.empty());
  EXPECT_TRUE(find_surface_defects(mesh.triangles).is_manifold());
  EXPECT_NEAR(area(mesh), 6.0, 1e-14);
}

TEST(Generators, Disk_IsValidAndConverges) {
  for (const int cells : {1, 2, 7}) {
    const Mesh mesh = make_disk(1.5, cells);
    EXPECT_EQ(mesh.dim, 2);
    EXPECT_TRUE(find_element_defects(mesh).empty());
    EXPECT_TRUE(find_surface_defects(mesh.triangles).inconsistent_edges.empty());
    EXPECT_TRUE(find_surface_defects(mesh.triangles).is_manifold());
    EXPECT_EQ(euler_characteristic(mesh.triangles), 1);
    EXPECT_EQ(boundary_edges(mesh.triangles).size(), 6 * cells);
  }
  expect_second_order(area(make_disk(1.5, 6)), area(make_disk(1.5, 12)), pi * 2.25);
}

TEST(Generators, Link_IsValidAndConverges) {
  const double length = 1.0, width = 0.6, wire = 0.1;
  for (const int cells : {2, 6}) expect_valid_solid(make_link(length, width, wire, cells, 1), 0, 0.1);
  expect_valid_solid(make_link(0.6, 0.6, 0.1, 6, 2), 0, 0.1);
  const BoundingBox box = bounding_box(make_link(length, width, wire, 6, 2).vertices);
  EXPECT_NEAR((box.size() - Vec<3>(length, 2.0 * wire, width)).norm(), 0.0, 1e-2);
  const double path = 2.0 * (length - width) + 2.0 * pi * (0.5 * width - wire);
  expect_second_order(volume(make_link(length, width, wire, 8, 2)), volume(make_link(length, width, wire, 16, 4)),
                      pi * wire * wire * path);
}

/// Returns the area of a gear without bore: its teeth ring by ring, with involutes of the circle of radius r cos 25
/// degrees.
double gear_area(double r, int teeth) {
  const double module = 2.0 * r / teeth, base = r * std::cos(25.0 * pi / 180.0);
  const auto involute = [&](double radius) {
    const double cosine = std::min(1.0, base / radius);
    return std::tan(std::acos(cosine)) - std::acos(cosine);
  };
  const double start = std::max(base, r - module), root = r - 1.25 * module;
  double sum = pi * root * root;
  const int num_rings = 20000;
  for (int i = 0; i < num_rings; ++i) {
    const double radius = start + (r + module - start) * (i + 0.5) / num_rings;
    const double half_angle = 0.47 * pi / teeth + involute(r) - involute(radius);
    sum += 2.0 * teeth * half_angle * radius * (r + module - start) / num_rings;
  }
  // Below that circle, the tooth widens by a fifth of the gap from one circle to the other.
  const double half_angle = 0.47 * pi / teeth + involute(r) - involute(start);
  return sum + teeth * (2.0 * half_angle + 0.2 * (pi / teeth - half_angle)) * (start * start - root * root) / 2.0;
}

TEST(Generators, Gear_IsValidAndHasTheVolumeOfItsTeeth) {
  for (const int teeth : {6, 11, 24, 60}) {
    const Mesh mesh = make_gear(1.0, 0.3, 0.4, teeth, 6);
    expect_valid_solid(mesh, 0, 1e-3);
    const double exact = 0.3 * (gear_area(1.0, teeth) - pi * 0.16);
    EXPECT_NEAR(volume(mesh), exact, 0.02 * exact) << teeth;
    const BoundingBox box = bounding_box(mesh.vertices);
    EXPECT_NEAR(box.size()[1], 0.3, 1e-15);
    EXPECT_LE(box.max[0], 1.0 + 2.0 / teeth);
    EXPECT_GT(box.max[0], 1.0 + 1.9 / teeth);
  }
}

/// Expects an open surface that is consistently oriented and has the given Euler characteristic.
void expect_valid_open_surface(const Mesh& mesh, int euler) {
  EXPECT_EQ(mesh.dim, 3);
  EXPECT_TRUE(find_element_defects(mesh).empty());
  const SurfaceDefects defects = find_surface_defects(mesh.triangles);
  EXPECT_TRUE(defects.is_manifold());
  EXPECT_TRUE(defects.inconsistent_edges.empty());
  EXPECT_FALSE(defects.open_edges.empty());
  EXPECT_EQ(euler_characteristic(mesh.triangles), euler);
}

Vec<3> center_of(const Mesh& mesh, const std::array<int, 3>& triangle) {
  Vec<3> sum = Vec<3>::Zero();
  for (const int v : triangle) sum += mesh.vertices[v];
  return sum / 3.0;
}

/// Expects n . (target - center) > 0 for every triangle.
template <class Target>
void expect_facing(const Mesh& mesh, const Target& target) {
  for (const auto& triangle : mesh.triangles) {
    const auto at = [&](std::size_t i) -> const Vec<3>& { return mesh.vertices[triangle[i]]; };
    const Vec<3> middle = center_of(mesh, triangle);
    // The volume of the tetrahedron from the triangle to the target has the sign of n . (target - center).
    ASSERT_GT(tet_volume(at(0), at(1), at(2), target(middle)), 0.0);
  }
}

TEST(Generators, Sheet_FacesUp) {
  const Mesh mesh = make_sheet(2.0, 3.0, 4, 3);
  expect_valid_open_surface(mesh, 1);
  expect_facing(mesh, [](const Vec<3>& p) { return Vec<3>(p + Vec<3>(0, 1, 0)); });
  EXPECT_NEAR(area(mesh), 6.0, 1e-14);
}

TEST(Generators, Bowl_FacesItsCenterAndHangsFromItsRim) {
  const Mesh mesh = make_bowl(1.0, 1.0, 8);
  expect_valid_open_surface(mesh, 1);
  expect_facing(mesh, [](const Vec<3>&) { return Vec<3>(0, 0, 0); });
  for (const Vec<3>& vertex : mesh.vertices) EXPECT_NEAR(vertex.norm(), 1.0, 1e-14);
  const BoundingBox box = bounding_box(make_bowl(2.0, 0.5, 8).vertices);
  EXPECT_NEAR(box.min[1], -0.5, 1e-14);
  EXPECT_NEAR(box.max[1], 0.0, 1e-14);
  EXPECT_NEAR(box.max[0], 2.0, 1e-14);
}

TEST(Generators, Funnel_FacesItsAxisAndIsOpenAtBothEnds) {
  for (const int cells : {3, 7, 12}) {
    const Mesh mesh = make_funnel(1.0, 0.2, 1.5, cells, 4);
    expect_valid_open_surface(mesh, 0);
    expect_facing(mesh, [](const Vec<3>& p) { return Vec<3>(0.0, p[1], 0.0); });
    EXPECT_EQ(boundary_edges(mesh.triangles).size(), 2 * cells);
  }
}

TEST(Generators, NoCells_CountAsOne) {
  EXPECT_EQ(make_box(Vec<3>(1, 1, 1), {0, 0, -1}).tets.size(), 6u);
  EXPECT_EQ(make_sphere(1.0, 0).tets.size(), 20u);
  EXPECT_EQ(make_disk(1.0, 0).triangles.size(), 6u);
}

}  // namespace
}  // namespace clearance
