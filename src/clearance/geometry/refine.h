// Refinement that keeps the shape of a mesh.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Splits every tetrahedron into 8, triangle into 4 and edge into 2. New vertices at the midpoints of all edges follow
/// the old ones; lone points stay. The parts of element e are 8 e to 8 e + 7 (4 e to 4 e + 3, 2 e and 2 e + 1). The
/// octahedron inside a tetrahedron is cut along its shortest diagonal. Groups contain the parts of their elements. No
/// element may be curved.
Mesh refine_uniformly(const Mesh& mesh);

}  // namespace clearance
