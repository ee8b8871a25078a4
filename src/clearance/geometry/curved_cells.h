// Operations on solid elements of order 2 to 4 (mesh.h): appending, flipping, changing the order, and extracting their
// boundary as facets.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "clearance/geometry/lagrange.h"
#include "clearance/geometry/mesh.h"
#include "clearance/geometry/simplex_boundary.h"

namespace clearance {

/// Appends a solid element by all its nodes, as many as an element of order 1 to 4 has. Linear elements may also be
/// appended to tets (2D: triangles) alone, if fill_cell_nodes is called afterwards.
void add_cell(Mesh& mesh, std::span<const int> nodes);

/// Marks the solid elements after the last one in first_cell_node as linear.
void fill_cell_nodes(Mesh& mesh);

/// Returns why cell_nodes and first_cell_node are not as mesh.h specifies, with the element; empty if they are. A node
/// may occur twice in one element.
std::string find_cell_node_fault(const Mesh& mesh);

/// Exchanges the last two corners of a solid element, which reverses its orientation. The element then has the same
/// points at mirrored barycentric coordinates.
void flip_cell(Mesh& mesh, std::size_t cell);

/// Changes every solid element to this order. An element of a higher order becomes the one with the same positions at
/// the new nodes; other elements keep their shape. New nodes lie where the element's map places them. Nodes on edges
/// and faces are shared by all elements with the same corners there, and are placed by an element of the highest order
/// among these. Old nodes that are also nodes of the new element stay; the others are removed unless something else
/// uses them. New vertices follow the old ones, which keep their order. Returns the new number of each old vertex, -1
/// for removed ones.
std::vector<int> change_order(Mesh& mesh, int order);

/// Calls visit(node, corners, index, order) for every node of a solid element beside its corners: the corners of the
/// element, and the place of the node among them, `index[i] / order` of corner i. Nodes that elements share are visited
/// from each of them.
template <class Visit>
void for_each_higher_node(const Mesh& mesh, const Visit& visit) {
  const std::size_t num_corners = mesh.dim + 1;
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
    const std::span<const int> nodes = mesh.nodes_of_cell(cell);
    const int order = mesh.order_of_cell(cell);
    const std::vector<NodeIndex>& indices = lagrange_nodes(mesh.dim, order);
    for (std::size_t a = num_corners; a < nodes.size(); ++a) {
      visit(nodes[a], nodes.first(num_corners), indices[a], order);
    }
  }
}

/// Returns the boundary of the tetrahedra, oriented outwards and in their order. A face of a curved element becomes the
/// order^2 triangles between its nodes. The boundary is closed if neighbours have the same order.
Triangles boundary_triangles(const Mesh& mesh);

/// Returns the boundary of the triangles of a mesh in the plane, which lie to its left. A side of a curved element
/// becomes as many edges as its order.
Edges boundary_edges(const Mesh& mesh);

}  // namespace clearance
