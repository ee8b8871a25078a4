// Entries of mesh files besides the elements of a body: descriptions of the boundary, and construction points.
#pragma once

#include <array>
#include <vector>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// Returns every face of the tetrahedra by its sorted corners, in lexicographic order.
std::vector<std::array<int, 3>> sorted_faces(const Mesh& mesh);

/// Returns every edge of the triangles and the tetrahedra by its sorted ends, in lexicographic order.
std::vector<std::array<int, 2>> sorted_edges(const Mesh& mesh);

/// Removes triangles that are faces of tetrahedra, edges that are edges of tetrahedra or triangles, and points that
/// another element uses or that are listed again.
void drop_boundary_descriptions(Mesh& mesh);

/// Returns the bounding box of the vertices that elements use. Points count only in a mesh of edges and points alone.
BoundingBox bounding_box_of_elements(const Mesh& mesh);

}  // namespace clearance
