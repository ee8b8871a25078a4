// Closed outlines in the plane filled with triangles, by constrained Delaunay refinement (CGAL's Mesh_2).
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance::mesh {

/// `outline`: edges that form closed polylines and do not cross; those inside of others are holes. Triangles have no
/// angle below 20.7 degrees but where the outline has one, and edges of at most about `edge_length` [m].
Mesh fill_with_triangles(const Mesh& outline, double edge_length);

}  // namespace clearance::mesh
