// Removal of tetrahedra that lie flat in the surface of a mesh.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Removes tetrahedra that have a dihedral angle below `angle` [deg] and exactly two faces on the surface. The other
/// two faces, which are nearly the same, replace these. Delaunay refinement leaves such tetrahedra on flat faces.
void take_off_flat_tetrahedra(double angle, Mesh& mesh);

}  // namespace clearance
