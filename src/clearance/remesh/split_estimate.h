// What a split can gain, before anything is solved.
#pragma once

#include "clearance/remesh/local_problem.h"

namespace clearance {

/// [J] 1/2 g^T H^-1 g of the incremental potential by the new vertices alone, all else held, where contacts do not
/// reach: inertia, elasticity and loads. `x_tilde` [m]: the inertial target per vertex. To be called after the splits.
template <int dim>
double split_decrement(const LocalSetting<dim>& setting, const std::vector<Vec<dim>>& x_tilde,
                       std::span<const int> vertices);

}  // namespace clearance
