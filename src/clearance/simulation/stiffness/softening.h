// How much more than in proportion the displacements of a body grow with its loads.
#pragma once

#include <vector>

#include "clearance/simulation/stiffness/state_response.h"

namespace clearance {

/// Returns a factor per body, at least 1: f^T K^-1 f over twice the elastic energy, where f are the elastic forces of
/// its free nodes at x and K is the stiffness there, without contacts. It is 1 for small displacements, and
/// 1 / (1 - P / P_cr) for a column that a force P bends, too. Errors of its elements count by as much more,
/// because an error of the stiffness acts as one of all loads does.
template <int dim>
std::vector<double> find_softening(const Model& model, const StateResponse<dim>& response, const VecX& x);

extern template std::vector<double> find_softening<2>(const Model&, const StateResponse<2>&, const VecX&);
extern template std::vector<double> find_softening<3>(const Model&, const StateResponse<3>&, const VecX&);

}  // namespace clearance
