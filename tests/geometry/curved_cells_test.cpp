// Curved cells that are turned, raised or cut into facets: they keep their shapes and fit together.
#include "clearance/geometry/curved_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/mesh_checks.h"
#include "geometry/curved_cell_support.h"

namespace clearance::test {
namespace {

/// Bends everything by a smooth map of degree 2; it keeps z = 0.
void bend(Mesh& mesh) {
  for (Vec<3>& p : mesh.vertices) {
    p = {p[0] + 0.11 * p[1] * p[1] - 0.07 * p[0] * p[2], p[1] + 0.13 * p[0] * p[2] + 0.05 * p[0] * p[0],
         p[2] * (1.0 + 0.09 * p[0] - 0.06 * p[1])};
  }
}

/// Returns a box whose tetrahedra have their corners in any of the orders that keep them positive.
Mesh make_shuffled_box(unsigned seed) {
  Mesh mesh = make_box(Vec<3>(1.0, 2.0, 1.5), {2, 3, 2});
  std::mt19937 random(seed);
  for (auto& tet : mesh.tets) {
    const int turns = static_cast<int>(random() % 3), other = static_cast<int>(random() % 4);
    std::rotate(tet.begin() + 1, tet.begin() + 1 + turns, tet.end());
    if (other == 1) tet = {tet[1], tet[0], tet[3], tet[2]};
    if (other == 2) tet = {tet[2], tet[3], tet[0], tet[1]};
    if (other == 3) tet = {tet[3], tet[2], tet[1], tet[0]};
  }
  return mesh;
}

Mesh make_shuffled_rectangle(unsigned seed) {
  Mesh mesh = make_rectangle(2.0, 1.0, 4, 3);
  std::mt19937 random(seed);
  for (auto& t : mesh.triangles) std::rotate(t.begin(), t.begin() + random() % 3, t.end());
  return mesh;
}

Mesh make_shuffled(int dim) {
  return dim == 3 ? make_shuffled_box(7) : make_shuffled_rectangle(7);
}

std::vector<double> volumes_of(const Mesh& mesh) {
  std::vector<double> volumes;
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) volumes.push_back(volume_of_cell(mesh, cell));
  return volumes;
}

constexpr std::array<Barycentrics, 4> some_places = {
    {{0.1, 0.2, 0.3, 0.4}, {0.55, 0.25, 0.15, 0.05}, {0.0, 0.6, 0.3, 0.1}, {0.25, 0.25, 0.25, 0.25}}};
Barycentrics place(const Barycentrics& at, int dim) {
  return dim == 3 ? at : Barycentrics{at[0] + at[3], at[1], at[2], 0.0};
}

/// Returns the largest distance between the same places of all elements.
double distance_of_shapes(const Mesh& a, const Mesh& b) {
  double farthest = 0.0;
  for (std::size_t cell = 0; cell < a.num_solid_cells(); ++cell) {
    for (const Barycentrics& at : some_places) {
      const Barycentrics where = place(at, a.dim);
      farthest = std::max(farthest, (point_of_cell(a, cell, where) - point_of_cell(b, cell, where)).norm());
    }
  }
  return farthest;
}

TEST(Bernstein, Polynomials_AreNotNegativeAddUpToOneAndHaveTheirNodesAsCentres) {
  const std::vector<Barycentrics> points = {{0.2, 0.3, 0.4, 0.1}, {0.5, 0.0, 0.25, 0.25}, {1, 0, 0, 0}, {0, 0, 0, 1}};
  for (int dim = 1; dim <= 3; ++dim) {
    for (int order = 1; order <= max_order; ++order) {
      const std::vector<NodeIndex>& nodes = lagrange_nodes(dim, order);
      ASSERT_EQ(std::ssize(nodes), num_lagrange_nodes(dim, order));
      for (Barycentrics at : points) {
        // Coordinates beyond `dim` are added to the first one.
        for (std::size_t i = static_cast<std::size_t>(dim) + 1; i < 4; ++i) at[0] += std::exchange(at[i], 0.0);
        std::vector<double> values(nodes.size());
        bernstein_values(dim, order, at, values);
        double sum = 0.0;
        Barycentrics centre{};
        for (std::size_t a = 0; a < nodes.size(); ++a) {
          EXPECT_GE(values[a], 0.0);
          sum += values[a];
          for (std::size_t i = 0; i < 4; ++i) centre[i] += values[a] * nodes[a][i] / order;
        }
        EXPECT_NEAR(sum, 1.0, 1e-15);
        for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(centre[i], at[i], 1e-15);
      }
    }
  }
}

TEST(CurvedCells, RaisedLinearMesh_HasTheNodesOfItsTopologyAndItsShape) {
  for (const int dim : {2, 3}) {
    const Mesh linear = make_shuffled(dim);
    for (int order = 2; order <= max_order; ++order) {
      SCOPED_TRACE(testing::Message() << dim << "D, order " << order);
      Mesh mesh = linear;
      const std::vector<int> new_number = change_order(mesh, order);
      ASSERT_EQ(find_cell_node_fault(mesh), "");
      for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) ASSERT_EQ(mesh.order_of_cell(cell), order);
      // Old vertices keep their numbers.
      ASSERT_EQ(new_number.size(), linear.vertices.size());
      for (std::size_t v = 0; v < new_number.size(); ++v) EXPECT_EQ(new_number[v], static_cast<int>(v));
      EXPECT_TRUE(std::equal(linear.vertices.begin(), linear.vertices.end(), mesh.vertices.begin()));
      EXPECT_EQ(linear.tets, mesh.tets);
      EXPECT_EQ(linear.triangles, mesh.triangles);
      // A grid of so many points in each direction: nodes are shared, and none is left over.
      const auto on_side = [&](int cells) { return cells * order + 1; };
      EXPECT_EQ(mesh.vertices.size(), dim == 3 ? on_side(2) * on_side(3) * on_side(2) : on_side(4) * on_side(3));
      int num_shared = 0;
      EXPECT_EQ(find_unshared_node(mesh, &num_shared), "");
      EXPECT_GT(num_shared, 0);
      EXPECT_LT(distance_of_shapes(linear, mesh), 1e-14);
      EXPECT_NEAR(volume_of_cells(mesh), dim == 3 ? 3.0 : 2.0, 1e-13);
    }
  }
}

TEST(CurvedCells, RaisedCurvedMesh_HasTheSameShapeAndOnlyItsOwnNodes) {
  for (const int dim : {2, 3}) {
    for (int from = 2; from <= max_order; ++from) {
      Mesh curved = make_shuffled(dim);
      change_order(curved, from);
      bend(curved);
      // It is curved: corners alone have another volume.
      Mesh by_corners = curved;
      by_corners.cell_nodes.clear();
      by_corners.first_cell_node.clear();
      ASSERT_GT(distance_of_shapes(curved, by_corners), 1e-3);
      for (int to = from; to <= max_order; ++to) {
        SCOPED_TRACE(testing::Message() << dim << "D, order " << from << " to " << to);
        Mesh mesh = curved;
        const std::vector<int> new_number = change_order(mesh, to);
        ASSERT_EQ(find_cell_node_fault(mesh), "");
        EXPECT_EQ(find_unshared_node(mesh), "");
        EXPECT_LT(distance_of_shapes(curved, mesh), 1e-13);
        const std::vector<double> before = volumes_of(curved), after = volumes_of(mesh);
        for (std::size_t cell = 0; cell < before.size(); ++cell) EXPECT_NEAR(before[cell], after[cell], 1e-14);
        // Every vertex is a node, and the old ones that stay keep their positions bit for bit and their order.
        EXPECT_EQ(std::set<int>(mesh.cell_nodes.begin(), mesh.cell_nodes.end()).size(), mesh.vertices.size());
        int last = -1, num_removed = 0;
        for (std::size_t v = 0; v < new_number.size(); ++v) {
          if (new_number[v] < 0) {
            ++num_removed;
            continue;
          }
          EXPECT_GT(new_number[v], last);
          last = new_number[v];
          EXPECT_EQ(mesh.vertices[last], curved.vertices[v]);
        }
        const bool is_nested = to % from == 0;
        EXPECT_EQ(num_removed == 0, is_nested);
        if (!is_nested) {
          const Mesh linear = make_shuffled(dim);
          // Only the corners are left.
          EXPECT_EQ(new_number.size() - static_cast<std::size_t>(num_removed), linear.vertices.size());
        }
      }
    }
  }
}

TEST(CurvedCells, LoweredMesh_GoesThroughTheShapeAtItsNodes) {
  for (const int dim : {2, 3}) {
    for (int from = 2; from <= max_order; ++from) {
      Mesh curved = make_shuffled(dim);
      change_order(curved, from);
      bend(curved);
      for (int to = 1; to < from; ++to) {
        SCOPED_TRACE(testing::Message() << dim << "D, order " << from << " to " << to);
        Mesh lowered = curved;
        change_order(lowered, to);
        ASSERT_EQ(find_cell_node_fault(lowered), "");
        EXPECT_EQ(find_unshared_node(lowered), "");
        EXPECT_EQ(lowered.has_curved_cells(), to > 1);
        EXPECT_EQ(lowered.tets.size(), curved.tets.size());
        // Bent elements are bent by a polynomial of degree 2.
        if (to == 1) {
          EXPECT_GT(distance_of_shapes(curved, lowered), 1e-3);
        } else {
          EXPECT_LT(distance_of_shapes(curved, lowered), 1e-13);
        }
        // Raised and lowered again, the mesh is the same.
        Mesh again = lowered;
        change_order(again, from);
        EXPECT_LT(distance_of_shapes(lowered, again), 1e-13);
        change_order(again, to);
        ASSERT_EQ(again.vertices.size(), lowered.vertices.size());
        EXPECT_LT(distance_of_shapes(lowered, again), 1e-13);
        EXPECT_EQ(find_unshared_node(again), "");
      }
    }
  }
}

TEST(CurvedCells, RaisedNodesThatSomethingElseUses_Stay) {
  Mesh mesh = make_shuffled_box(1);
  change_order(mesh, 2);
  const int used = mesh.nodes_of_cell(3)[7], gone = mesh.nodes_of_cell(5)[9];
  ASSERT_NE(used, gone);
  const Vec<3> place_of_used = mesh.vertices[used];
  const auto corners = mesh.tets[4];
  mesh.points = {used};
  mesh.groups = {{"all", 1, 3, {corners}}, {"corner", 2, 0, {{corners[2], -1, -1, -1}}}};
  const auto places = [&](const Mesh& m) {
    std::vector<Vec<3>> list;
    for (const int v : m.groups[0].elements[0]) list.push_back(m.vertices[v]);
    return list;
  };
  const auto before = places(mesh);
  const std::vector<int> new_number = change_order(mesh, 3);
  EXPECT_EQ(new_number[gone], -1);
  EXPECT_EQ(mesh.points[0], new_number[used]);
  EXPECT_EQ(mesh.vertices[mesh.points[0]], place_of_used);
  EXPECT_EQ(places(mesh), before);
  EXPECT_EQ(mesh.groups[1].elements[0], (std::array<int, 4>{new_number[corners[2]], -1, -1, -1}));
}

TEST(CurvedCells, RaisedMixedMesh_SharesTheNodesOfItsCurvedNeighbours) {
  // Two tetrahedra at one face, one of order 2, 3 or 4, in both orders.
  for (int order = 2; order <= max_order; ++order) {
    for (const bool is_curved_first : {false, true}) {
      Mesh curved;
      curved.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
      curved.tets = {{0, 1, 2, 3}};
      change_order(curved, order);
      Mesh mesh;
      mesh.vertices = curved.vertices;
      if (!is_curved_first) add_cell(mesh, std::array{1, 2, 3, 4});
      add_cell(mesh, curved.cell_nodes);
      if (is_curved_first) add_cell(mesh, std::array{1, 2, 3, 4});
      ASSERT_EQ(find_cell_node_fault(mesh), "");
      EXPECT_EQ(mesh.order_of_cell(is_curved_first ? 0 : 1), order);
      EXPECT_EQ(mesh.order_of_cell(is_curved_first ? 1 : 0), 1);
      const std::vector<int> new_number = change_order(mesh, max_order);
      EXPECT_EQ(find_unshared_node(mesh), "");
      EXPECT_EQ(mesh.vertices.size(), 35u + 35u - 15u);
      EXPECT_NEAR(volume_of_cells(mesh), 1.0 / 6.0 + 1.0 / 3.0, 1e-14);
      EXPECT_EQ(std::count(new_number.begin(), new_number.end(), -1), order == 3 ? 16 : 0);
    }
  }
}

TEST(CurvedCells, FlippedCell_IsTheSameShapeTheOtherWayRound) {
  for (const int dim : {2, 3}) {
    for (int order = 1; order <= max_order; ++order) {
      SCOPED_TRACE(testing::Message() << dim << "D, order " << order);
      Mesh mesh = make_shuffled(dim);
      change_order(mesh, order);
      bend(mesh);
      const Mesh before = mesh;
      flip_cell(mesh, 2);
      ASSERT_EQ(find_cell_node_fault(mesh), "");
      EXPECT_NEAR(volume_of_cell(mesh, 2), -volume_of_cell(before, 2), 1e-15);
      EXPECT_EQ(find_unshared_node(mesh), "");
      for (const Barycentrics& at : some_places) {
        const Barycentrics where = place(at, dim);
        Barycentrics mirrored = where;
        std::swap(mirrored[dim], mirrored[dim - 1]);
        EXPECT_LT((point_of_cell(mesh, 2, where) - point_of_cell(before, 2, mirrored)).norm(), 1e-14);
      }
      flip_cell(mesh, 2);
      EXPECT_EQ(mesh.tets, before.tets);
      EXPECT_EQ(mesh.triangles, before.triangles);
      EXPECT_EQ(mesh.cell_nodes, before.cell_nodes);
    }
  }
}

TEST(CurvedCells, OrientPositively_TurnsNodesToo) {
  Mesh mesh = make_shuffled_box(3);
  change_order(mesh, 3);
  const Mesh before = mesh;
  for (std::size_t cell = 0; cell < mesh.tets.size(); cell += 2) flip_cell(mesh, cell);
  EXPECT_LT(volume_of_cells(mesh), 2.9);
  orient_positively(mesh);
  EXPECT_EQ(mesh.cell_nodes, before.cell_nodes);
  EXPECT_EQ(mesh.tets, before.tets);
}

TEST(CurvedCells, BoundaryOfARaisedBox_IsClosedAndHasItsVolume) {
  const Mesh linear = make_shuffled_box(11);
  const std::size_t num_faces = boundary_triangles(linear.tets).size();
  EXPECT_EQ(boundary_triangles(linear), boundary_triangles(linear.tets));
  for (int order = 2; order <= max_order; ++order) {
    Mesh mesh = linear;
    change_order(mesh, order);
    const Triangles boundary = boundary_triangles(mesh);
    EXPECT_EQ(boundary.size(), num_faces * static_cast<std::size_t>(order * order));
    EXPECT_TRUE(is_closed_manifold(boundary));
    EXPECT_EQ(euler_characteristic(boundary), 2);
    EXPECT_NEAR(mass_properties_of_solid(mesh.vertices, boundary).measure, 3.0, 1e-13);
  }
}

TEST(CurvedCells, BoundaryOfABentBox_ComesNearerToItsVolumeWithTheOrder) {
  Mesh exact = make_shuffled_box(11);
  change_order(exact, 2);
  bend(exact);
  const double volume = volume_of_cells(exact);
  double last = infinity;
  for (const int order : {2, 4}) {
    Mesh mesh = exact;
    change_order(mesh, order);
    const double difference =
        std::abs(mass_properties_of_solid(mesh.vertices, boundary_triangles(mesh)).measure - volume);
    // Facets half as wide leave a quarter of the difference.
    EXPECT_LT(difference, 0.3 * last) << order;
    last = difference;
  }
  EXPECT_GT(last, 0.0);
  EXPECT_LT(last, 0.001 * volume);
}

TEST(CurvedCells, BoundaryOfARaisedRectangle_IsClosedAndHasItsArea) {
  const Mesh linear = make_shuffled_rectangle(5);
  EXPECT_EQ(boundary_edges(linear), boundary_edges(linear.triangles));
  for (int order = 2; order <= max_order; ++order) {
    Mesh mesh = linear;
    change_order(mesh, order);
    const Edges boundary = boundary_edges(mesh);
    EXPECT_EQ(boundary.size(), 14u * static_cast<std::size_t>(order));
    EXPECT_TRUE(is_closed_outline(boundary));
    EXPECT_NEAR(mass_properties_of_area(mesh.vertices, boundary).measure, 2.0, 1e-14);
    double length = 0.0;
    for (const auto& [a, b] : boundary) {
      length += (mesh.vertices[b] - mesh.vertices[a]).norm();
    }
    EXPECT_NEAR(length, 6.0, 1e-13);
  }
}

TEST(CurvedCells, SurfaceOfACurvedMesh_HasNoCellsAndAllNodesOfTheBoundary) {
  Mesh mesh = make_shuffled_box(2);
  change_order(mesh, 3);
  const Mesh surface = surface_of(mesh);
  EXPECT_FALSE(surface.has_curved_cells());
  EXPECT_TRUE(surface.first_cell_node.empty());
  EXPECT_EQ(surface.vertices.size(), 7u * 10u * 7u - 5u * 8u * 5u);
  EXPECT_NEAR(mass_properties_of_solid(surface.vertices, surface.triangles).measure, 3.0, 1e-13);
  Mesh plane = make_shuffled_rectangle(2);
  change_order(plane, 4);
  EXPECT_EQ(surface_of(plane).edges.size(), 56u);
  EXPECT_EQ(surface_of(plane).vertices.size(), 56u);
}

TEST(CurvedCells, ConnectedComponents_ContainAllNodes) {
  Mesh mesh = make_shuffled_box(2);
  change_order(mesh, 4);
  const std::vector<int> component = connected_components(mesh);
  EXPECT_EQ(std::count(component.begin(), component.end(), 0), std::ssize(mesh.vertices));
}

TEST(CurvedCells, Faults_AreNamed) {
  Mesh good = make_shuffled_box(2);
  EXPECT_EQ(find_cell_node_fault(good), "");
  change_order(good, 2);
  const auto fault_after = [&](const auto& damage) {
    Mesh mesh = good;
    damage(mesh);
    return find_cell_node_fault(mesh);
  };
  EXPECT_EQ(fault_after([](Mesh&) {}), "");
  EXPECT_NE(fault_after([](Mesh& m) { m.cell_nodes[15] = -1; }), "");
  EXPECT_NE(fault_after([](Mesh& m) { m.cell_nodes[15] = 1000000; }), "");
  EXPECT_NE(fault_after([](Mesh& m) { std::swap(m.cell_nodes[0], m.cell_nodes[1]); }), "");
  EXPECT_NE(fault_after([](Mesh& m) { m.cell_nodes.pop_back(); }), "");
  EXPECT_NE(fault_after([](Mesh& m) { m.first_cell_node.pop_back(); }), "");
  EXPECT_NE(fault_after([](Mesh& m) { m.first_cell_node.clear(); }), "");
  EXPECT_NE(fault_after([](Mesh& m) { m.first_cell_node[0] = -10; }), "");
  EXPECT_NE(fault_after([](Mesh& m) { --m.first_cell_node[1]; }), "");
  EXPECT_NE(fault_after([](Mesh& m) { m.first_cell_node[1] = 1 << 30; }), "");
  EXPECT_NE(fault_after([](Mesh& m) { m.tets.pop_back(); }), "");
}

}  // namespace
}  // namespace clearance::test
