// Prisms of three tetrahedra: what extruded and swept solids are made of.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

/// The prism between two copies of a triangle, whose vertices start at index `bottom` and `top`. The diagonals of its
/// sides rise from the smaller to the larger triangle vertex, so that neighbours cut the side they share alike.
void add_prism(Mesh& mesh, std::array<int, 3> triangle, int bottom, int top);

}  // namespace clearance
