// Which part of a body an operation is judged on.
#pragma once

#include <span>

#include "clearance/remesh/local_problem.h"

namespace clearance {

/// All elements within two rings of the seeds, and further rings while they are less than `least_volume` [m^3] (2D:
/// [m^2]) at rest [Fer23, sec. 6.3.7] and no more than 500 elements: beyond that single operations change nothing. Of
/// their vertices those move that are free and that no other element has.
template <int dim>
Scope find_scope(const AdaptingBody<dim>& body, std::span<const int> seeds, double least_volume);

/// Before the operation: with what it has replaced. To be called after it; `moving` as found before it.
void add_replaced(const MeshEdit& edit, std::span<const int> reshaped_cells, Scope& scope);
/// The same region after it.
template <int dim>
Scope scope_after(const AdaptingBody<dim>& body, const Scope& before, const MeshEdit& edit);

/// Vertices that move within local problems: they are not prescribed, nor frozen.
template <int dim>
bool is_free(const AdaptingBody<dim>& body, int vertex) {
  return (body.mesh.sets(vertex) & body.prescribed_sets) == 0 && !body.mesh.is_frozen(vertex);
}

}  // namespace clearance
