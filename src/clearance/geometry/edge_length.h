// Edge lengths of solid elements.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Returns the mean length [m] of the edges between corners of the triangles (2D) or tetrahedra; an edge counts once
/// per element that has it. 0 without elements.
double mean_edge_length(const Mesh& mesh);

}  // namespace clearance
