// Estimate of whether a broken surface encloses anything.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Returns the share of lines through points of the surface that cross it an even number of times, these points
/// included. A closed surface has 1, whichever way its triangles are oriented. One with small holes has hardly less,
/// random triangles have a half, and sheets have 0. Some 200 lines are used, always the same.
double enclosing_share(const Mesh& surface);

}  // namespace clearance
