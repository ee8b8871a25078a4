// Prisms of three tetrahedra, the building blocks of extruded and swept solids.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Adds the prism between two copies of a triangle, whose vertices start at index `bottom` and `top`. The diagonals of
/// its sides rise from the smaller to the larger triangle vertex, so that neighbours cut their common side alike.
void add_prism(Mesh& mesh, std::array<int, 3> triangle, int bottom, int top);

}  // namespace clearance
