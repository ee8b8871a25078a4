// T-junctions of surfaces: vertices that lie in an edge of a triangle which does not use them.
#pragma once

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// [m] A vertex this near to an open edge lies in it: 1e-5 of the diagonal, which six digits in a text file leave of a
/// straight line; far from the origin four roundings of the largest coordinate to float32, which binary files do.
double hanging_node_tolerance(const Vertices& vertices);

/// Closes T-junctions: every open edge (of one triangle only) is split at the ends of other open edges that lie in it,
/// and its triangle with it. Vertices stay; those in exactly one place count as one. Returns the number of split edges;
/// 0, and the triangles as they were, if that leaves as many edges open as before.
int split_at_hanging_nodes(const Vertices& vertices, Triangles& triangles);

}  // namespace clearance
