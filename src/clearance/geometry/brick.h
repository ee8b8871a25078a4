// Bricks of six tetrahedra: what grids are made of.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Cuts the brick into six positive tetrahedra around its diagonal from corner 0 to corner 7. Corner 4 i + 2 j + k is
/// at the lower (0) or upper (1) end of the brick along x, y and z. Bricks of one grid cut the sides they share alike.
void add_brick(Mesh& mesh, const std::array<int, 8>& corners);

}  // namespace clearance
