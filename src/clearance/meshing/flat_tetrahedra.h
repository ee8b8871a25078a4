// Tetrahedra that lie flat in the surface of a mesh.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Takes off tetrahedra with a dihedral angle below `angle` [deg] that show exactly two faces: the surface then has the
/// other two, which are nearly the same. Delaunay refinement leaves such ones on flat faces.
void take_off_flat_tetrahedra(double angle, Mesh& mesh);

}  // namespace clearance
