// Bricks of six tetrahedra, the building blocks of grids.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Adds a brick, cut into six positive tetrahedra around its diagonal from corner 0 to corner 7. Corner 4 i + 2 j + k
/// is at the lower (0) or upper (1) end of the brick along x, y and z. Neighbouring bricks of a grid cut their common
/// side alike.
void add_brick(Mesh& mesh, const std::array<int, 8>& corners);

}  // namespace clearance
