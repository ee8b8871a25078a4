// The problem that the method of moving asymptotes solves for its next place: sums of functions of one number each.
#pragma once

#include "clearance/math/types.h"

namespace clearance::optimise {

/// Minimises f_0(x) + sum of (cost y_i + y_i^2 / 2) for x from `lower` to `upper` and y_i >= 0 with f_i(x) <= y_i,
/// where
///
///     f_i(x) = constant_i + sum over j of P_ij / (U_j - x_j) + Q_ij / (x_j - L_j).
///
/// The numbers y let every problem have a solution. All P and Q are above 0, and L < lower <= upper < U.
struct SeparableProblem {
  MatX p, q;                           ///< a row for f_0, then one per constraint
  VecX constant;                       ///< one number per row
  VecX low_asymptote, high_asymptote;  ///< L and U
  VecX lower, upper;
  double cost = 0.0;

  VecX values(const VecX& x) const;
  /// Returns x, by Newton's method for the multipliers of the constraints.
  VecX solve() const;

 private:
  VecX minimum(const VecX& weights) const;
};

}  // namespace clearance::optimise
