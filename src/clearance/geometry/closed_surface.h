// Tests of whether the boundary of elements is closed, and of what prevents that.
#pragma once

#include "clearance/geometry/surface.h"

namespace clearance {

/// True if the triangles run along every edge equally often in both directions. The surface then has no holes, whether
/// or not it is manifold.
bool is_closed_surface(const Triangles& triangles);

/// Faces (3D) or sides (2D) at which solid elements overlap: they belong to more than two elements, or to two elements
/// on the same side. Such a face would not be part of the boundary, which then has a hole there.
struct CrowdedFaces {
  int count = 0;
  std::array<int, 3> corners = {-1, -1, -1};  ///< corners of the first; 2D: two corners
  std::vector<int> elements;                  ///< elements that have the first
};

/// Finds the crowded faces. Elements may list their corners in either order; the side of flat and of inverted elements
/// counts as unknown. Exact.
CrowdedFaces find_crowded_faces(const Mesh& mesh);

}  // namespace clearance
