// Repair of places where the surface of tetrahedra is not manifold: vertices and edges in which it touches itself.
#pragma once

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// Tetrahedra that fill a region without gaps. Some of them form the solid.
struct CellComplex {
  Vertices vertices;
  std::vector<std::array<int, 4>> tets;
  std::vector<char> is_solid;
};

/// Adds tetrahedra to the solid, or removes them, until its surface is manifold. Delaunay refinement assigns tetrahedra
/// by their circumcentres; in walls of few elements, neighbours then contradict each other. At each bad place, the
/// smallest tetrahedron changes sides whose change reduces badness, or two neighbours do if no single one helps. No
/// tetrahedron with a dihedral angle below 5 degrees is added. Returns how many changed; places without such a
/// tetrahedron stay as they are.
int mend_pinches(CellComplex& cells);

/// Counts extra fans of surface triangles at a vertex, and surface edges at a vertex with more than two triangles.
int count_pinches(const CellComplex& cells);

}  // namespace clearance
