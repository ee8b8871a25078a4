// When a boundary vertex may go without another boundary at rest.
#pragma once

namespace clearance {

template <int dim>
class SimplexMesh;

/// Contracting the boundary edge removed-kept to `kept` leaves the boundary at rest and what each label of its facets
/// covers as they are. That is so for a vertex amid the facets of one label, and in 3D for one on the border of two,
/// along the border where it is straight; the facets of a label have to be flat there, and remain turned as they are.
template <int dim>
bool collapse_keeps_boundary(const SimplexMesh<dim>& mesh, int removed, int kept);

}  // namespace clearance
