// A closed surface filled with tetrahedra, by Delaunay refinement (CGAL's Mesh_3).
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance::mesh {

struct FillOptions {
  double edge_length = 0.0;  ///< [m] wanted length; most edges are a little shorter
  /// Distance of faces, at their middle, from the surface, as a share of the edge length
  double facet_distance = 0.0;
  /// Longest edge as a share of a wall's or gap's thickness; 0: walls and gaps do not count
  double thin_share = 0.0;
  double feature_angle = 0.0;    ///< [deg] edges whose normals differ by more are kept; 0: none are
  std::size_t max_vertices = 0;  ///< refinement stops there even if it is not finished; 0: no limit
  std::size_t max_work = 0;      ///< queries of lengths: more raise an exception; 0: no limit
};

/// Fills `surface`, the triangles of a closed surface that does not intersect itself. Sequential, with a fixed seed:
/// the same surface gives the same bits.
Mesh fill_with_tetrahedra(const Mesh& surface, const FillOptions& options);

}  // namespace clearance::mesh
