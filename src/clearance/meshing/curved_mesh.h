// Curved tetrahedra whose boundary lies on a surface, from straight ones.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

struct CurvedMesh {
  Mesh mesh;              ///< elements of the order, valid at every point
  int num_nodes = 0;      ///< nodes of the boundary between the corners
  int num_held = 0;       ///< nodes that stay between their straight place and the surface, so that elements are valid
  double flattest = 1.0;  ///< smallest ratio in an element of its least to its largest volume function
};

/// Raises straight tetrahedra to an order (2 to 4) and puts the nodes of their boundary on a closed surface. Edges of
/// the surface at which normals differ by more than `sharp_angle` [deg] stay sharp if edges of the elements follow
/// them. Elements with two faces on a smooth part are split first. Nodes inside follow. Elements that would be inverted
/// somewhere, or nearly, keep their nodes off the surface by as much as it takes.
CurvedMesh curve_to_surface(Mesh straight, const Mesh& surface, int order, double sharp_angle);

/// [m^3] Returns the volume of curved tetrahedra of one order.
double volume_of_curved(const Mesh& mesh);

}  // namespace clearance
