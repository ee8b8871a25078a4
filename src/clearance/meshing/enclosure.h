// Does a broken surface enclose anything?
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Share of the lines through points of the surface that cross it an even number of times, these points included. A
/// closed surface has 1, whichever way its triangles are turned, one with small holes hardly less, triangles at random
/// half of it, and sheets 0. Some 200 lines, always the same.
double enclosing_share(const Mesh& surface);

}  // namespace clearance
