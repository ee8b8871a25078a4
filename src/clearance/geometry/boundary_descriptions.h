// What mesh files have beside elements and is no part of a body: descriptions of the boundary, construction points.
#pragma once

#include <array>
#include <vector>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// Every face of the tetrahedra by its sorted corners, in lexicographic order.
std::vector<std::array<int, 3>> sorted_faces(const Mesh& mesh);

/// Every edge of the triangles and the tetrahedra by its sorted ends, in lexicographic order.
std::vector<std::array<int, 2>> sorted_edges(const Mesh& mesh);

/// Removes triangles that are faces of tetrahedra, edges of tetrahedra or triangles, and points that something else
/// uses or that are listed again.
void drop_boundary_descriptions(Mesh& mesh);

/// Of what the elements use: points count only in a mesh of edges and points alone.
BoundingBox bounding_box_of_elements(const Mesh& mesh);

}  // namespace clearance
