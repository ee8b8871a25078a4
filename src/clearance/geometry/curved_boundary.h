// The boundary of curved elements: its faces, points on them, and how far flat pieces are from it.
#pragma once

#include <array>
#include <functional>
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

/// A point of an element.
struct ElementPoint {
  std::size_t cell;
  Barycentrics at;
};
/// Pieces of the faces of a boundary. Points of each face are apart from those of the others.
struct BoundaryPieces {
  std::vector<ElementPoint> points;
  Triangles triangles;  ///< of points, outwards; 2D: edges as (a, b, b)

  /// Returns the positions of the points.
  std::vector<Vec<3>> places(const Mesh& mesh) const;
};
/// Cuts each edge of the boundary into segments_of(cell) pieces, and each face into the square of this number.
BoundaryPieces cut_boundary_faces(const Mesh& mesh, const std::function<int(std::size_t cell)>& segments_of);

/// Returns an upper bound [m] of the distance between a point of the flat pieces and the point of the curved boundary
/// with the same barycentrics, if each edge is cut into `segments` pieces of equal length in barycentrics.
double flatness_bound(const Mesh& mesh, int segments);

}  // namespace clearance
