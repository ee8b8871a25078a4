// Condition under which removing a boundary vertex keeps the boundary at rest.
#pragma once

namespace clearance {

template <int dim>
class SimplexMesh;

/// True if contracting the boundary edge removed-kept to `kept` preserves the boundary at rest and the region that each
/// label of its facets covers. This holds for a vertex surrounded by facets of one label. In 3D it also holds for a
/// vertex on the border of two labels, along the border where it is straight. The facets of a label must be flat there
/// and keep their orientation.
template <int dim>
bool collapse_keeps_boundary(const SimplexMesh<dim>& mesh, int removed, int kept);

}  // namespace clearance
