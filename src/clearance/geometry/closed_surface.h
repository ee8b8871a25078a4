// Whether what elements have as their boundary closes, and what keeps it from that.
#pragma once

#include "clearance/geometry/surface.h"

namespace clearance {

/// Every edge is run along equally often in both directions: the surface has no holes, be it manifold or not.
bool is_closed_surface(const Triangles& triangles);

/// Faces (3D) or sides (2D) of solid elements where these overlap: of more than two elements, or of two that lie on the
/// same side of it. None of them would be part of the boundary, which then has a hole there.
struct CrowdedFaces {
  int count = 0;
  std::array<int, 3> corners = {-1, -1, -1};  ///< of the first; 2D: two of them
  std::vector<int> elements;                  ///< that have the first
};

/// Elements may name their corners in either order; the side of flat and of inverted ones is not known. Exact.
CrowdedFaces find_crowded_faces(const Mesh& mesh);

}  // namespace clearance
