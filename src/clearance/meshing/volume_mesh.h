// From a bare surface to a mesh of its inside: tetrahedra, in 2D triangles.
#pragma once

#include <optional>
#include <string>

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"

namespace clearance {

struct VolumeMeshOptions {
  std::optional<double> edge_length;  ///< [m] wanted; absent: a twentieth of the bounding box's diagonal
};

struct VolumeMeshReport {
  std::string repairs;             ///< in words; empty: none
  std::string defects;             ///< in words; empty: the surface is closed and does not intersect itself
  bool was_wrapped = false;        ///< because of defects that closing holes does not mend
  double edge_length = 0.0;        ///< [m] that was used; shorter than asked for where the shape was lost otherwise
  double smallest_angle = 0.0;     ///< [deg] between faces of a tetrahedron; 2D: of a triangle
  double farthest_of_mesh = 0.0;   ///< [m] bound of the distance of the mesh's surface from the given one
  double farthest_of_given = 0.0;  ///< [m] bound of the distance of the given surface from the mesh's
  double given_volume = 0.0;       ///< [m^3], 2D [m^2]; of a surface with defects no more than a hint
  double volume = 0.0;             ///< [m^3], 2D [m^2] of the elements
  double seconds = 0.0;

  /// [m] The Hausdorff distance: the larger one of both.
  double deviation() const { return farthest_of_mesh > farthest_of_given ? farthest_of_mesh : farthest_of_given; }
};

struct VolumeMesh {
  Mesh mesh;  ///< elements of positive volume; their surface is closed, manifold and free of intersections
  VolumeMeshReport report;
};

/// Fills the triangles of a closed surface with tetrahedra, in 2D the edges of closed outlines with triangles. Surfaces
/// that enclose nothing as they are, with holes, intersections or loose triangles, are wrapped first. The same input
/// gives the same bits.
Result<VolumeMesh> make_volume_mesh(const Mesh& given, const VolumeMeshOptions& options);

/// [m] What is used where nothing else is asked for.
double default_edge_length(const Mesh& given);

}  // namespace clearance
