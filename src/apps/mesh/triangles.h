// Closed outlines in the plane filled with triangles, by constrained Delaunay refinement (CGAL's Mesh_2).
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance::mesh {

/// Fills `outline`, edges that form closed polylines and do not cross; polylines inside others are holes. Triangles
/// have angles of at least 20.7 degrees, except where the outline has a smaller one, and edges of at most about
/// `edge_length` [m].
Mesh fill_with_triangles(const Mesh& outline, double edge_length);

}  // namespace clearance::mesh
