// Quality measures of elements.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

/// [deg] Returns the smallest angle between two faces of a tetrahedron; 2D: the smallest angle of a triangle. Returns
/// 180 if there are no elements.
double smallest_angle(const Mesh& mesh);

/// Counts the elements whose volume (2D: area) is not positive. Exact.
int num_inverted(const Mesh& mesh);

}  // namespace clearance
