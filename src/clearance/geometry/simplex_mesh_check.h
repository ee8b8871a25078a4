// Check that a mesh of simplices has the properties that its operations promise. Tests use it, and code that edits a
// mesh may.
#pragma once

#include <string>

#include "clearance/geometry/simplex_mesh.h"

namespace clearance {

/// Describes the first defect of the mesh; empty if there is none. A conforming mesh has these properties. Every side
/// of a cell is shared with one other cell or is one facet, oriented outwards, and there are no other facets. The cells
/// around each vertex (and edge) form one ball or, on the boundary, half a ball. All cells at rest are positive,
/// exactly. The lists per vertex contain the live simplices.
template <int dim>
std::string find_defect(const SimplexMesh<dim>& mesh);

}  // namespace clearance
