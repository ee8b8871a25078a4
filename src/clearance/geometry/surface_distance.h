// Distance of two surfaces at any separation.
#pragma once

#include <array>
#include <vector>

#include "clearance/geometry/mesh.h"

namespace clearance {

/// The primitives of a surface, by numbers of points. The edges of triangles are listed, too; a lone point is an edge
/// from itself to itself.
struct SurfaceParts {
  std::vector<std::array<int, 1>> vertices;
  std::vector<std::array<int, 2>> edges;
  std::vector<std::array<int, 3>> triangles;
};

/// [m] Returns the smallest distance of two surfaces that do not intersect, or infinity if one has no edge. 2D: z = 0.
double surface_distance(const SurfaceParts& a, const SurfaceParts& b, const std::vector<Vec<3>>& points);

}  // namespace clearance
