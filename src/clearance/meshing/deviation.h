// How far one surface is from another (the one-sided Hausdorff distance).
#pragma once

#include "clearance/meshing/triangle_tree.h"

namespace clearance {

/// [m] An upper bound of the distance of any point of the triangles from those of `to`, at most `tolerance` [m] above
/// the largest one.
double largest_distance(const Vertices& vertices, const Triangles& triangles, const TriangleTree& to, double tolerance);

}  // namespace clearance
