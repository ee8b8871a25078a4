// Places on a surface for the nodes of the boundary of coarse elements.
#pragma once

#include <vector>

#include "clearance/meshing/sharp_curves.h"

namespace clearance {

struct NodePlace {
  int node;
  Vec<3> place;  ///< [m]
};

/// Finds where the nodes of the boundary of straight tetrahedra of a higher order belong on a surface. Nodes of edges
/// that stand for a piece of a sharp curve divide the piece equally. Other nodes go to the nearest point of the patches
/// that their face stands for, on a triangle with a similar normal. Corners stay, and so do nodes whose place is
/// farther away than half of the edges around.
std::vector<NodePlace> fit_boundary_nodes(const Mesh& mesh, const Mesh& surface, const SharpCurves& sharp,
                                          const CurvePieces& pieces);

}  // namespace clearance
