#include "clearance/meshing/surface_repair.h"

#include <gtest/gtest.h>

#include "clearance/geometry/mesh_checks.h"
#include "clearance/meshing/surface_defects.h"
#include "meshing/surfaces.h"

namespace clearance {
namespace {

using namespace test;

TEST(SurfaceRepair, GoodSurfacesStayAsTheyAre) {
  const Mesh sphere = sphere_surface(1.0, 3);
  const RepairedSurface repaired = repair_surface(sphere);
  EXPECT_TRUE(repaired.repairs.empty());
  EXPECT_EQ(repaired.mesh.triangles, sphere.triangles);
  EXPECT_EQ(to_string(repaired.repairs), "");
}

TEST(SurfaceRepair, WeldsCornersInTheSamePlace) {
  const RepairedSurface repaired = repair_surface(as_soup(box_surface({1, 2, 3})));
  EXPECT_EQ(repaired.mesh.vertices.size(), 8U);
  EXPECT_EQ(repaired.repairs.welded_vertices, 28);
  EXPECT_TRUE(is_closed_manifold(repaired.mesh.triangles));
  EXPECT_EQ(to_string(repaired.repairs), "28 vertices welded to others in the same place");
}

TEST(SurfaceRepair, WeldsRoundedCornersOnlyWhereThatCloses) {
  Mesh soup = as_soup(box_surface({1, 1, 1}));
  for (std::size_t v = 0; v < soup.vertices.size(); ++v) soup.vertices[v][0] += 1e-8 * static_cast<double>(v % 7);
  const RepairedSurface repaired = repair_surface(soup);
  EXPECT_EQ(repaired.mesh.vertices.size(), 8U);
  EXPECT_TRUE(is_closed_manifold(repaired.mesh.triangles));

  Mesh near = box_surface({1, 1, 1});
  near = joined(near, moved(near, {1.0 + 1e-8, 0, 0}));
  EXPECT_EQ(repair_surface(near).mesh.vertices.size(), 16U);
}

TEST(SurfaceRepair, TurnsTrianglesOutwards) {
  const Mesh box = box_surface({1, 2, 3});
  for (const Mesh& turned : {with_turned(box, 1), with_turned(box, 3), with_turned(box, 5)}) {
    const RepairedSurface repaired = repair_surface(turned);
    EXPECT_TRUE(is_closed_manifold(repaired.mesh.triangles));
    EXPECT_NEAR(volume_inside(repaired.mesh), 6.0, 1e-12);
  }
  EXPECT_EQ(repair_surface(with_turned(box, 1)).repairs.turned_triangles, 12);
  EXPECT_EQ(repair_surface(with_turned(box, 3)).repairs.turned_triangles, 4);
}

TEST(SurfaceRepair, PartsInsideOfOthersAreCavities) {
  const Mesh outer = box_surface({2, 2, 2}), inner = box_surface({1, 1, 1}), core = box_surface({0.5, 0.5, 0.5});
  const RepairedSurface repaired = repair_surface(joined(joined(inner, with_turned(outer, 1)), core));
  EXPECT_EQ(repaired.repairs.num_cavities, 1);
  EXPECT_NEAR(volume_inside(repaired.mesh), 8.0 - 1.0 + 0.125, 1e-12);
}

TEST(SurfaceRepair, DropsWhatIsThereTwice) {
  Mesh box = box_surface({1, 1, 1});
  box.triangles.push_back(box.triangles[3]);
  box.triangles.push_back({0, 0, 1});
  const RepairedSurface repaired = repair_surface(box);
  EXPECT_EQ(repaired.repairs.repeated, 1);
  EXPECT_EQ(repaired.repairs.collapsed, 1);
  EXPECT_TRUE(is_closed_manifold(repaired.mesh.triangles));
}

TEST(SurfaceRepair, SplitsEdgesAtHangingNodes) {
  Mesh box = box_surface({1, 1, 1});
  const auto [a, b, c] = box.triangles[0];
  const auto at = [&](int v) { return box.vertices[v]; };
  box.vertices.push_back(0.5 * (at(a) + at(b)));
  box.triangles[0] = {a, 8, c};
  box.triangles.push_back({8, b, c});
  for (const Mesh& mesh : {box, as_soup(box)}) {
    const RepairedSurface repaired = repair_surface(mesh);
    EXPECT_EQ(repaired.repairs.split_edges, 1);
    EXPECT_TRUE(is_closed_manifold(repaired.mesh.triangles));
    EXPECT_NEAR(volume_inside(repaired.mesh), 1.0, 1e-15);
    EXPECT_NE(to_string(repaired.repairs).find("1 edge split at vertices of other triangles in them"),
              std::string::npos);
  }
}

TEST(SurfaceRepair, TrianglesWithoutAreaThatFillJunctionsGo) {
  // A triangle without area in the junction closes the surface, but has no side.
  Mesh box = box_surface({1, 1, 1});
  const auto [a, b, c] = box.triangles[0];
  const auto at = [&](int v) { return box.vertices[v]; };
  box.vertices.push_back(0.5 * (at(a) + at(b)));
  box.triangles[0] = {a, 8, c};
  box.triangles.push_back({8, b, c});
  box.triangles.push_back({a, b, 8});
  ASSERT_TRUE(is_closed_manifold(box.triangles));
  const RepairedSurface repaired = repair_surface(box);
  EXPECT_EQ(repaired.repairs.flat, 1);
  EXPECT_EQ(repaired.repairs.split_edges, 1);
  EXPECT_EQ(describe_surface_defects(repaired.mesh), "");
  EXPECT_NEAR(volume_inside(repaired.mesh), 1.0, 1e-15);
}

}  // namespace
}  // namespace clearance
