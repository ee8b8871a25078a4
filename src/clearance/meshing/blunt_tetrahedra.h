// Splitting of tetrahedra that would be flat where they touch a smooth surface.
#pragma once

#include <functional>

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Splits tetrahedra with several faces on one smooth part of the boundary, so that each element has one. Once curved,
/// such an element would have no volume at the edge between these faces, because both would have the same tangent plane
/// there. `is_sharp` tells the edges of the boundary at which this does not hold, the smaller vertex first. The
/// boundary stays as it is.
void split_blunt_tetrahedra(const std::function<bool(const std::array<int, 2>&)>& is_sharp, Mesh& mesh);

}  // namespace clearance
