// Whether a mesh of simplices is what its operations promise: for tests, and for who edits one.
#pragma once

#include <string>

#include "clearance/geometry/simplex_mesh.h"

namespace clearance {

/// What is wrong with the mesh in words, the first thing found; empty if nothing is. It should be conforming: every
/// side of a cell is shared with one other cell or is one facet, turned outwards, and there are no other facets; around
/// each vertex (and edge) cells are one ball or, on the boundary, half a ball; all cells at rest are positive, exactly;
/// and the lists per vertex name what is alive.
template <int dim>
std::string find_defect(const SimplexMesh<dim>& mesh);

}  // namespace clearance
