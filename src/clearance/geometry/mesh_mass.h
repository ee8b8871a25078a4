// Volume, centre of mass and moments of everything in a mesh: solids by their elements or their closed boundary, and
// thin parts by their thickness.
#pragma once

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// Mass properties of a body of unit density. 3D: tetrahedra, closed surfaces as solids, other triangles as sheets,
/// edges as round rods, points as balls, measured in volume. 2D: triangles, closed outlines as areas, other edges as
/// strips, points as disks, measured in area.
///
/// A surface is closed if its triangles can be oriented such that they run along every edge equally often in both
/// directions. Vertices at the same position count as one. Containment decides which closed parts are solid and which
/// are cavities (geometry/shells.h). Parts that overlap count twice.
struct MeshMass {
  MassProperties properties;
  bool has_thin_parts = false;  ///< true if the thickness matters
  /// Number of edges of surfaces (2D: vertices of outlines) that keep them from being closed, and the position of the
  /// first.
  int num_openings = 0;
  Vec<3> opening = Vec<3>::Zero();
  int num_nested = 0;  ///< solid parts within the solid of another part, and the position of the first
  Vec<3> nested = Vec<3>::Zero();
};
MeshMass mass_of_mesh(const Mesh& mesh, double thickness);

}  // namespace clearance
