// T-junctions of surfaces: vertices that lie in an edge of a triangle that does not use them.
#pragma once

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// [m] Returns the distance from an open edge up to which a vertex lies in it. It is 1e-5 of the diagonal, the
/// precision of a straight line in a text file with six digits. Far from the origin, it is four roundings of the
/// largest coordinate to float32, the precision of binary files.
double hanging_node_tolerance(const Vertices& vertices);

/// Closes T-junctions. Every open edge (of one triangle only) and its triangle are split at the ends of other open
/// edges that lie in the edge. Vertices stay; those at exactly one position count as one. Returns the number of split
/// edges. Returns 0, with the triangles unchanged, if as many edges as before would stay open.
int split_at_hanging_nodes(const Vertices& vertices, Triangles& triangles);

}  // namespace clearance
