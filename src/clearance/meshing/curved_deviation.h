// Distance between the boundary of curved elements and a surface, at many points of both.
#pragma once

#include "clearance/meshing/triangle_tree.h"

namespace clearance {

/// [m] Returns the largest distance of points of the boundary of tetrahedra of any order from a surface of triangles,
/// and of points of the surface from the boundary. Each face of the boundary has 153 points, and the surface has its
/// vertices and as many points between them that these are as close to each other as those of the boundary.
std::array<double, 2> sampled_distances(const Mesh& mesh, const Mesh& surface, const TriangleTree& tree_of_surface);

}  // namespace clearance
