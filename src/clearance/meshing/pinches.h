// Places where the surface of tetrahedra is no surface: vertices and edges in which it touches itself.
#pragma once

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// Tetrahedra that fill a region without gaps, some of which are the solid.
struct CellComplex {
  Vertices vertices;
  std::vector<std::array<int, 4>> tets;
  std::vector<char> is_solid;
};

/// Takes tetrahedra into the solid, or out of it, until its surface is manifold: where Delaunay refinement leaves walls
/// of few elements, it decides by the middles of their spheres, and neighbours contradict each other. At each bad place
/// the smallest tetrahedron goes whose change removes badness, or two neighbours; none comes in with a dihedral angle
/// below 5 degrees. Returns how many were changed; places without such a tetrahedron stay as they are.
int mend_pinches(CellComplex& cells);

/// Number of extra fans of surface triangles at a vertex, and of surface edges there that have more than two triangles.
int count_pinches(const CellComplex& cells);

}  // namespace clearance
