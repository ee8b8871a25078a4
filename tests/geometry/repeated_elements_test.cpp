#include "clearance/geometry/repeated_elements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "clearance/geometry/closed_surface.h"
#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/generators.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/mesh_mass.h"

namespace clearance {
namespace {

/// Appends a copy of a solid element with its corners turned, or not.
void repeat_cell(Mesh& mesh, std::size_t cell, bool turned) {
  const std::span<const int> of_cell = mesh.nodes_of_cell(cell);
  std::vector<int> nodes(of_cell.begin(), of_cell.end());
  if (nodes.empty() && mesh.dim == 3) nodes.assign(mesh.tets[cell].begin(), mesh.tets[cell].end());
  if (nodes.empty()) nodes.assign(mesh.triangles[cell].begin(), mesh.triangles[cell].end());
  add_cell(mesh, nodes);
  if (turned) flip_cell(mesh, mesh.num_solid_cells() - 1);
}

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
  return a;
}

Mesh turned_over(Mesh mesh) {
  for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  for (auto& edge : mesh.edges) std::swap(edge[0], edge[1]);
  return mesh;
}

TEST(RepeatedElements, TetsInAnyOrderOfTheirCorners_AreOne) {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  std::array<int, 4> corners = {0, 1, 2, 3};
  do mesh.tets.push_back(corners);
  while (std::next_permutation(corners.begin(), corners.end()));
  const MergedElements merged = merge_repeated_elements(mesh);
  ASSERT_EQ(mesh.tets, (std::vector<std::array<int, 4>>{{0, 1, 2, 3}}));
  EXPECT_EQ(merged.listed_again[3].count, 23);
  EXPECT_EQ(merged.listed_again[3].first, 1);
  EXPECT_EQ(merged.listed_again[3].original, 0);
  EXPECT_EQ(merged.solid_of_number, std::vector<int>(24, 0));
  EXPECT_EQ(merged.number_of_solid, std::vector<int>{0});
}

TEST(RepeatedElements, MeshWithoutAny_StaysAsItIs) {
  for (Mesh mesh : {make_box({1, 2, 3}, {2, 2, 2}), make_sphere(1, 3), make_disk(1, 3),
                    surface_of(make_torus(1, 0.3, 8, 4)), surface_of(make_disk(1, 3))}) {
    const Mesh before = mesh;
    const MergedElements merged = merge_repeated_elements(mesh);
    EXPECT_TRUE(merged.is_empty());
    EXPECT_TRUE(merged.solid_of_number.empty());
    EXPECT_EQ(mesh.tets, before.tets);
    EXPECT_EQ(mesh.triangles, before.triangles);
    EXPECT_EQ(mesh.edges, before.edges);
  }
}

TEST(RepeatedElements, OfEveryOrderAndDimension_LeaveTheMeshWithoutThem) {
  std::mt19937_64 rng(11);
  for (const int dim : {2, 3}) {
    for (int order = 1; order <= 4; ++order) {
      Mesh mesh = dim == 2 ? make_rectangle(2, 1, 3, 2) : make_box({2, 1, 1}, {2, 1, 1});
      if (order > 1) change_order(mesh, order);
      const Mesh before = mesh;
      const std::size_t count = mesh.num_solid_cells();
      for (std::size_t c = 0; c < count; ++c) {
        for (std::size_t k = rng() % 3; k > 0; --k) repeat_cell(mesh, c, rng() % 2 == 0);
      }
      repeat_cell(mesh, 0, true);
      const MergedElements merged = merge_repeated_elements(mesh);
      EXPECT_GT(merged.listed_again[dim].count, 0);
      EXPECT_EQ(mesh.tets, before.tets);
      EXPECT_EQ(mesh.triangles, before.triangles);
      EXPECT_EQ(mesh.cell_nodes, before.cell_nodes) << dim << " " << order;
      EXPECT_EQ(mesh.first_cell_node, before.first_cell_node);
      EXPECT_EQ(find_cell_node_fault(mesh), "");
    }
  }
}

TEST(RepeatedElements, OfTwoOrdersBetweenTheSameCorners_TheHigherOneStays) {
  Mesh mesh = make_box({1, 1, 1}, {1, 1, 1});
  const std::vector<std::array<int, 4>> linear = mesh.tets;
  change_order(mesh, 2);
  Mesh both;
  both.vertices = mesh.vertices;
  for (const auto& tet : linear) add_cell(both, tet);
  for (std::size_t c = 0; c < linear.size(); ++c) add_cell(both, mesh.nodes_of_cell(c));
  const MergedElements merged = merge_repeated_elements(both);
  EXPECT_EQ(merged.listed_again[3].count, 6);
  EXPECT_EQ(both.cell_nodes, mesh.cell_nodes);
  EXPECT_EQ(merged.solid_of_number, (std::vector<int>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(merged.number_of_solid, (std::vector<int>{6, 7, 8, 9, 10, 11}));
}

TEST(RepeatedElements, TrianglesOfASurface_CloseItAgain) {
  const Mesh box = surface_of(make_box({1, 1, 1}, {2, 2, 2}));
  Mesh all = box, some = box;
  for (std::array<int, 3> triangle : box.triangles) {
    std::rotate(triangle.begin(), triangle.begin() + 1, triangle.end());
    all.triangles.push_back(triangle);
  }
  some.triangles.insert(some.triangles.begin(), box.triangles.begin() + 5, box.triangles.begin() + 9);
  for (Mesh mesh : {all, some}) {
    EXPECT_GT(merge_repeated_elements(mesh).listed_again[2].count, 0);
    EXPECT_TRUE(is_closed_manifold(mesh.triangles));
    EXPECT_NEAR(mass_of_mesh(mesh, 0.1).properties.measure, 1.0, 1e-14);
  }
}

TEST(RepeatedElements, SomeTrianglesOfASurfaceTurnedOver_CloseItAgain) {
  const Mesh box = surface_of(make_box({1, 1, 1}, {2, 2, 2}));
  for (const std::vector<std::size_t>& which :
       {std::vector<std::size_t>{3}, {3, 4}, {0, 1, 2, 3, 4, 5, 6, 7}, {1, 40}}) {
    Mesh mesh = box;
    for (const std::size_t t : which) {
      const auto& [a, b, c] = box.triangles[t];
      mesh.triangles.push_back({b, a, c});
    }
    EXPECT_EQ(merge_repeated_elements(mesh).opposite.count, std::ssize(which));
    EXPECT_EQ(mesh.triangles, box.triangles);
  }
  Mesh outline = surface_of(make_rectangle(1, 1, 2, 2));
  const Edges edges = outline.edges;
  outline.edges.push_back({edges[2][1], edges[2][0]});
  merge_repeated_elements(outline);
  EXPECT_EQ(outline.edges, edges);
}

TEST(RepeatedElements, OfAnInvertedElementAndAGoodOne_TheGoodOneStays) {
  Mesh mesh = make_box({1, 1, 1}, {1, 1, 1});
  const std::vector<std::array<int, 4>> good = mesh.tets;
  for (auto& tet : mesh.tets) std::swap(tet[0], tet[1]);
  mesh.tets.insert(mesh.tets.end(), good.begin(), good.end());
  merge_repeated_elements(mesh);
  EXPECT_EQ(mesh.tets, good);
}

TEST(RepeatedElements, EdgesOfAnOutlineSegmentsAndPoints_AreOne) {
  Mesh outline = surface_of(make_rectangle(1, 1, 2, 2));
  const Edges edges = outline.edges;
  outline.edges.insert(outline.edges.end(), edges.begin(), edges.end());
  EXPECT_EQ(merge_repeated_elements(outline).listed_again[1].count, std::ssize(edges));
  EXPECT_EQ(outline.edges, edges);
  Mesh rods;
  rods.vertices = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  rods.edges = {{0, 1}, {1, 0}, {0, 1}};
  rods.points = {2, 2};
  const MergedElements merged = merge_repeated_elements(rods);
  EXPECT_EQ(rods.edges, (Edges{{0, 1}}));
  EXPECT_EQ(rods.points, std::vector<int>{2});
  EXPECT_EQ(merged.listed_again[1].count, 2);
  EXPECT_EQ(merged.listed_again[0].count, 1);
}

TEST(RepeatedElements, TwoSidesOfASurfaceWithNothingBetween_AreOne) {
  for (const Mesh& side : {make_sheet(1, 1, 2, 2), surface_of(make_box({1, 1, 1}, {1, 1, 1}))}) {
    Mesh mesh = side;
    for (const auto& triangle : turned_over(side).triangles) mesh.triangles.push_back(triangle);
    EXPECT_EQ(merge_repeated_elements(mesh).opposite.count, std::ssize(side.triangles));
    EXPECT_EQ(mesh.triangles, side.triangles);
  }
  Mesh wire = surface_of(make_rectangle(1, 1, 2, 2));
  const Edges one_way = wire.edges;
  for (const auto& [a, b] : one_way) wire.edges.push_back({b, a});
  EXPECT_EQ(merge_repeated_elements(wire).opposite.count, std::ssize(one_way));
  EXPECT_EQ(wire.edges, one_way);
}

TEST(RepeatedElements, WallBetweenTwoClosedParts_KeepsBothSides) {
  // Two boxes share the square between them: its triangles occur in both directions.
  const Mesh solid = make_box({2, 1, 1}, {2, 1, 1});
  Mesh walls;
  walls.vertices = solid.vertices;
  for (const std::size_t half : {std::size_t{0}, solid.tets.size() / 2}) {
    const auto first = solid.tets.begin() + static_cast<std::ptrdiff_t>(half);
    const Triangles surface = boundary_triangles({first, first + static_cast<std::ptrdiff_t>(solid.tets.size() / 2)});
    walls.triangles.insert(walls.triangles.end(), surface.begin(), surface.end());
  }
  const Triangles before = walls.triangles;
  EXPECT_TRUE(merge_repeated_elements(walls).is_empty());
  EXPECT_EQ(walls.triangles, before);
  EXPECT_NEAR(mass_of_mesh(walls, 0.1).properties.measure, 2.0, 1e-14);
}

TEST(RepeatedElements, PartsThatLieOnOthersWithVerticesOfTheirOwn_AreLeftOutWithTheirGroups) {
  const Mesh box = make_box({1, 1, 1}, {1, 1, 1});
  Mesh solid = joined(box, box);
  solid.groups = {{"copy", 3, 3, {solid.tets.back()}}};
  MergedElements merged = merge_repeated_elements(solid);
  EXPECT_EQ(merged.coinciding.count, 6);
  EXPECT_EQ(merged.dim_of_coinciding, 3);
  EXPECT_EQ(solid.tets, box.tets);
  EXPECT_EQ(solid.groups[0].elements[0], box.tets.back());
  EXPECT_EQ(merged.solid_of_number, (std::vector<int>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
  for (const Mesh& shell : {surface_of(box), turned_over(surface_of(box))}) {
    Mesh surface = joined(surface_of(box), shell);
    EXPECT_EQ(merge_repeated_elements(surface).coinciding.count, 12);
    EXPECT_NEAR(mass_of_mesh(surface, 0.1).properties.measure, 1.0, 1e-14);
  }
  const Mesh square = make_rectangle(1, 1, 2, 2);
  Mesh plane = joined(square, square);
  EXPECT_EQ(merge_repeated_elements(plane).dim_of_coinciding, 2);
  EXPECT_EQ(plane.triangles, square.triangles);
}

TEST(RepeatedElements, PartsThatShareOnlyPlacesWithOthers_Stay) {
  const Mesh box = surface_of(make_box({1, 1, 1}, {1, 1, 1}));
  Mesh taller = box;
  // The taller box stands on the same square as the other one.
  for (Vec<3>& v : taller.vertices) v[1] = v[1] > 0.0 ? 2.0 : v[1];
  Mesh two = joined(box, taller);
  EXPECT_TRUE(merge_repeated_elements(two).is_empty());
  EXPECT_EQ(two.triangles.size(), 24u);
  Mesh beside = box;
  for (Vec<3>& v : beside.vertices) v[0] += 1.0;
  two = joined(box, beside);
  EXPECT_TRUE(merge_repeated_elements(two).is_empty());
}

TEST(CrowdedFaces, OfThreeElementsOrOfTwoOnOneSide_AreFound) {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0.2, 0.2, 2}};
  mesh.tets = {{0, 1, 2, 3}, {0, 2, 1, 4}};
  EXPECT_EQ(find_crowded_faces(mesh).count, 0);
  std::swap(mesh.tets[1][0], mesh.tets[1][1]);  // (the order of corners does not matter)
  EXPECT_EQ(find_crowded_faces(mesh).count, 0);
  mesh.tets.push_back({0, 1, 2, 5});
  CrowdedFaces three = find_crowded_faces(mesh);
  EXPECT_EQ(three.count, 1);
  EXPECT_EQ(three.corners, (std::array<int, 3>{0, 1, 2}));
  EXPECT_EQ(three.elements, (std::vector<int>{0, 1, 2}));
  mesh.tets.erase(mesh.tets.begin() + 1);
  EXPECT_EQ(find_crowded_faces(mesh).elements, (std::vector<int>{0, 1}));

  Mesh plane;
  plane.dim = 2;
  plane.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, -1, 0}, {0.2, 2, 0}};
  plane.triangles = {{0, 1, 2}, {0, 3, 1}};
  EXPECT_EQ(find_crowded_faces(plane).count, 0);
  plane.triangles[1] = {0, 1, 4};
  EXPECT_EQ(find_crowded_faces(plane).count, 1);
  EXPECT_EQ(find_crowded_faces(plane).corners, (std::array<int, 3>{0, 1, -1}));
}

TEST(CrowdedFaces, MeshesOfGeneratorsHaveNone) {
  for (const Mesh& mesh :
       {make_box({1, 2, 3}, {2, 3, 1}), make_sphere(1, 4), make_torus(1, 0.3, 8, 4), make_disk(1, 4)})
    EXPECT_EQ(find_crowded_faces(mesh).count, 0);
}

}  // namespace
}  // namespace clearance
