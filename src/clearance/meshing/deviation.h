// Distance of one surface from another (the one-sided Hausdorff distance).
#pragma once

#include "clearance/meshing/triangle_tree.h"

namespace clearance {

/// [m] Returns an upper bound of the distance of any point of the triangles from those of `to`. The bound exceeds the
/// largest distance by at most `tolerance` [m].
double largest_distance(const Vertices& vertices, const Triangles& triangles, const TriangleTree& to, double tolerance);

}  // namespace clearance
