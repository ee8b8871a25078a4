// Finer meshes of the same shape.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Every tetrahedron in 8, triangle in 4, edge in 2, with new vertices in the middle of all edges, after the old ones;
/// lone points stay. The parts of element e are 8 e to 8 e + 7 (4 e to 4 e + 3, 2 e and 2 e + 1). The octahedron inside
/// of a tetrahedron is cut along its shortest diagonal. Groups have the parts of their elements. None may be
/// curved.
Mesh refine_uniformly(const Mesh& mesh);

}  // namespace clearance
