// Distance of one surface from another (the one-sided Hausdorff distance).
#pragma once

#include "clearance/meshing/triangle_tree.h"

namespace clearance {

/// [m] Returns an upper bound of the distance of any point of the triangles from those of `to`. The bound exceeds the
/// largest distance by at most `tolerance` [m].
double largest_distance(const Vertices& vertices, const Triangles& triangles, const TriangleTree& to, double tolerance);

/// [m] Returns how far a smooth surface bends away from the facets of a surface that stands for it: a facet of the
/// width w beside another one at the angle a has the sag w a / 8. Edges with an angle above `feature_angle` [deg] are
/// meant to be sharp.
double largest_sag(const Mesh& surface, double feature_angle);

}  // namespace clearance
