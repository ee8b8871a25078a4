// Solid elements of order 2 to 4 (mesh.h): appended, turned, brought to another order, and their boundary as facets.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "clearance/geometry/surface.h"

namespace clearance {

/// Appends a solid element by all its nodes, as many as one of order 1 to 4 has. Linear ones may also be appended to
/// tets (2D: triangles) alone, if fill_cell_nodes is called afterwards.
void add_cell(Mesh& mesh, std::span<const int> nodes);

/// Solid elements appended since the last one in first_cell_node are linear.
void fill_cell_nodes(Mesh& mesh);

/// What keeps cell_nodes and first_cell_node from being as mesh.h says, with the element; empty if nothing does. A node
/// may be there twice in one element.
std::string find_cell_node_fault(const Mesh& mesh);

/// Exchanges the last two corners of a solid element, which turns its orientation; the same points at the mirrored
/// barycentrics.
void flip_cell(Mesh& mesh, std::size_t cell);

/// Makes every solid element one of this order: of the same shape, or where its order was higher the one that has the
/// same places at the new nodes. New nodes stand in the places that the element's map gives; those on edges and faces
/// are shared by all elements with the same corners there, and are placed by one of the highest order. Old nodes that
/// are nodes of the new element too stay, the others are removed unless something else uses them; new vertices come
/// after the old ones, which keep their order. Per old vertex its new number, -1 for the removed ones.
std::vector<int> change_order(Mesh& mesh, int order);

/// The boundary of the tetrahedra, pointing outwards, in their order: of each face of a curved one the order^2
/// triangles between its nodes. It is closed where neighbours have the same order.
Triangles boundary_triangles(const Mesh& mesh);

/// The boundary of the triangles of a mesh of the plane, which lie to the left: of each side of a curved one as many
/// edges as its order.
Edges boundary_edges(const Mesh& mesh);

}  // namespace clearance
