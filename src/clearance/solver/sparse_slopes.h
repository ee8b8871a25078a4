// Jacobians of functions whose numbers depend on few arguments each, by differences of fourth order.
//
// Arguments that no number shares are changed at the same time [Cur74]: a function of many contacts
// or elements takes as many evaluations as the fullest of their neighbourhoods has arguments.
#pragma once

#include <Eigen/SparseCore>
#include <functional>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// Groups of arguments, `width` numbers each of which `num_used` are changed, with the groups of `height` numbers that
/// depend on them.
struct SlopePattern {
  int width = 3, num_used = 3, height = 3;
  std::size_t num_row_groups = 0;
  std::vector<std::vector<int>> rows;  ///< per group of arguments, ascending
};

/// Returns the Jacobian of `function`, which gets a change of all arguments and returns all numbers, by changes of
/// `length`, or by shorter ones where the function bends.
SparseMatrix find_slopes(const SlopePattern& pattern, double length, const std::function<VecX(const VecX&)>& function);

}  // namespace clearance
