// How good elements are.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

/// [deg] The smallest angle between two faces of a tetrahedron; 2D: of a triangle. 180 without elements.
double smallest_angle(const Mesh& mesh);

/// Elements whose sign is not that of a positive volume (2D: area). Exact.
int num_inverted(const Mesh& mesh);

}  // namespace clearance
