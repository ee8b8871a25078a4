// The boundary of curved elements: its faces, points on them, and how far flat pieces are from it.
#pragma once

#include <array>
#include <vector>

#include "clearance/geometry/mesh.h"
#include "clearance/geometry/simplex_boundary.h"

namespace clearance {

/// A face of the boundary: its element, and its corners among those of the element, outwards.
struct ElementFace {
  std::size_t cell;
  std::array<std::size_t, 3> corners;  ///< 2D: two of them
};

/// Returns the faces (2D: sides) of the boundary, in the order of the elements.
std::vector<ElementFace> find_boundary_faces(const Mesh& mesh);

/// Returns the nodes of a solid element of any order.
std::vector<int> nodes_of_solid(const Mesh& mesh, std::size_t cell);

/// Returns the position of a point of a solid element.
Vec<3> position_in_solid(const Mesh& mesh, std::size_t cell, const Barycentrics& at);

/// Cuts each face of the boundary of tetrahedra into segments^2 triangles and appends their vertices, those of each
/// face apart, to `vertices`. Triangles are oriented outwards.
Triangles cut_boundary_faces(const Mesh& mesh, int segments, std::vector<Vec<3>>& vertices);

/// Returns an upper bound [m] of the distance between a point of the flat pieces and the point of the curved boundary
/// with the same barycentrics, if each edge is cut into `segments` pieces of equal length in barycentrics.
double flatness_bound(const Mesh& mesh, int segments);

}  // namespace clearance
