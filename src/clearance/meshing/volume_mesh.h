// Meshes the inside of a bare surface with tetrahedra, in 2D with triangles.
#pragma once

#include <optional>
#include <string>

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"

namespace clearance {

struct VolumeMeshOptions {
  /// [m] wanted length; absent: a twentieth of the bounding box's diagonal, of curved or fitted elements a fifth
  std::optional<double> edge_length;
  int order = 1;  ///< 2 to 4: curved elements whose boundary nodes lie on the surface, 3D
  /// Largest distance between the surfaces, as a fraction of the diagonal: edges become shorter until it is met
  std::optional<double> tolerance = {};
};

/// The same elements with straight edges, and what curving them took.
struct CurvingReport {
  double straight_volume = 0.0;     ///< [m^3]
  double straight_deviation = 0.0;  ///< [m] bound of the distance between their surface and the given one, both ways
  int num_nodes = 0;                ///< nodes of the boundary between the corners
  int num_held = 0;                 ///< nodes that are not on the surface, because elements would be inverted
  double flattest = 1.0;            ///< smallest ratio in an element of its least to its largest volume function
};

struct VolumeMeshReport {
  std::string repairs;             ///< repairs in words; empty: none
  std::string defects;             ///< defects in words; empty: the surface is closed and does not intersect itself
  bool was_wrapped = false;        ///< true if closing holes did not mend all defects
  double edge_length = 0.0;        ///< [m] length used; shorter than requested if the shape would be lost otherwise
  double smallest_angle = 0.0;     ///< [deg] smallest angle between faces of a tetrahedron; 2D: of a triangle
  double farthest_of_mesh = 0.0;   ///< [m] bound of the distance of the mesh's surface from the given one
  double farthest_of_given = 0.0;  ///< [m] bound of the distance of the given surface from the mesh's
  double given_volume = 0.0;       ///< [m^3], 2D [m^2]; only approximate for a surface with defects
  double volume = 0.0;             ///< [m^3], 2D [m^2]; volume of the elements
  double seconds = 0.0;
  std::optional<CurvingReport> curving = {};  ///< of curved elements

  /// [m] Returns the Hausdorff distance, the larger of both distances.
  double deviation() const { return farthest_of_mesh > farthest_of_given ? farthest_of_mesh : farthest_of_given; }
};

struct VolumeMesh {
  Mesh mesh;  ///< elements of positive volume; their surface is closed, manifold and free of intersections
  VolumeMeshReport report;
};

/// Fills the triangles of a closed surface with tetrahedra, in 2D the edges of closed outlines with triangles. Closes
/// the holes of a surface first. If defects remain, such as intersections or loose triangles, it wraps the surface.
/// Curved elements need a surface without defects. The same input gives the same bits.
Result<VolumeMesh> make_volume_mesh(const Mesh& given, const VolumeMeshOptions& options);

/// [m] Returns the edge length that is used, or tried first, if none is requested.
double default_edge_length(const Mesh& given, const VolumeMeshOptions& options = {});

}  // namespace clearance
