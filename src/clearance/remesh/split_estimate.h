// Estimates the gain of a split, before any solve.
#pragma once

#include "clearance/remesh/local_problem.h"

namespace clearance {

/// Returns 1/2 g^T H^-1 g [J] of the incremental potential, with the new vertices as the only unknowns and without
/// contacts: inertia, elasticity and loads. `x_tilde` [m] is the inertial target of each vertex. Call it after the
/// splits.
template <int dim>
double split_decrement(const LocalSetting<dim>& setting, const std::vector<Vec<dim>>& x_tilde,
                       std::span<const int> vertices);

}  // namespace clearance
