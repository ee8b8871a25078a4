// A closed surface filled with tetrahedra, by Delaunay refinement (CGAL's Mesh_3).
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance::mesh {

struct FillOptions {
  double edge_length = 0.0;      ///< [m] wanted; most edges are a little shorter
  double facet_distance = 0.0;   ///< of the edge length: between the faces of tetrahedra and the surface, in the middle
  double thin_share = 0.0;       ///< of the thickness of walls and gaps: edges there are no longer; 0: not looked at
  double feature_angle = 0.0;    ///< [deg] edges whose normals differ by more are kept; 0: none are
  std::size_t max_vertices = 0;  ///< refinement stops there, whatever is missing; 0: no limit
  std::size_t max_work = 0;      ///< lengths that may be asked for: more is an exception; 0: no limit
};

/// `surface`: triangles of a closed surface that does not intersect itself. Sequential, with a fixed seed: the same
/// surface gives the same bits.
Mesh fill_with_tetrahedra(const Mesh& surface, const FillOptions& options);

}  // namespace clearance::mesh
