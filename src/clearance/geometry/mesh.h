// A mesh of simplices in 2D or 3D, read from a file or made by a generator. Its solid elements may be curved.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "clearance/geometry/lagrange.h"
#include "clearance/math/types.h"

namespace clearance {

/// A named group of elements of a mesh file.
struct MeshGroup {
  std::string name;  ///< may be empty
  int number = 0;
  int dim = 3;                               ///< dimension of its elements: 0 points, 1 edges, 2 triangles, 3 tets
  std::vector<std::array<int, 4>> elements;  ///< 1 + dim vertices each, then -1
};

struct Mesh {
  int dim = 3;                                ///< 2 (z of every vertex is 0) or 3
  std::vector<Vec<3>> vertices;               ///< [m]
  std::vector<std::array<int, 4>> tets;       ///< positive volume: (v1-v0) x (v2-v0) . (v3-v0) > 0
  std::vector<std::array<int, 3>> triangles;  ///< 3D: surface elements; 2D: area elements, counter-clockwise
  std::vector<std::array<int, 2>> edges;      ///< codimensional segments (not the edges of triangles)
  std::vector<int> points;                    ///< lone vertices that are bodies of their own
  /// Nodes of solid elements (tets; 2D: triangles) with shape functions of an order above 1, element by element. They
  /// are numbered within each element as by lagrange_nodes, the corners first. All nodes are vertices.
  std::vector<int> cell_nodes;
  /// Index into cell_nodes of the first node of each solid element, and one past the last. Linear elements have no
  /// nodes there. Empty if all elements are linear.
  std::vector<int> first_cell_node;
  std::vector<MeshGroup> groups;  ///< groups, also of faces and edges that are not listed above

  bool has_curved_cells() const { return !cell_nodes.empty(); }
  std::size_t num_solid_cells() const { return dim == 3 ? tets.size() : triangles.size(); }
  /// Returns the nodes of a curved element; empty for a linear element.
  std::span<const int> nodes_of_cell(std::size_t cell) const {
    if (first_cell_node.empty()) return {};
    return {cell_nodes.data() + first_cell_node[cell], cell_nodes.data() + first_cell_node[cell + 1]};
  }
  int order_of_cell(std::size_t cell) const { return std::max(1, order_of_nodes(dim, nodes_of_cell(cell).size())); }
};

}  // namespace clearance
