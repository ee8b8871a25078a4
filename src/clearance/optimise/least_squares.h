// Nonlinear least squares with bounds, by the method of Levenberg and Marquardt [Mar63].
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "clearance/math/types.h"

namespace clearance::optimise {

/// Residuals r(p) and their Jacobian.
struct Residuals {
  VecX r;
  MatX jacobian;  ///< one row per residual

  double cost() const { return 0.5 * r.squaredNorm(); }
};

/// Returns the residuals at p; nothing if they are not defined there, and the search then keeps nearer.
using ResidualFunction = std::function<std::optional<Residuals>(const VecX& p)>;

struct LeastSquaresOptions {
  VecX lower, upper;  ///< bounds
  VecX sizes;         ///< typical sizes of the parameters, above 0
  int max_evaluations = 50;
  double tolerance = 1e-7;  ///< of the parameters, as a share of them and of their sizes
};

enum class LeastSquaresEnd {
  converged,  ///< the next change would be negligible
  limit,      ///< the evaluations are used up
  stopped,    ///< the function said that it was stopped
  undefined   ///< the residuals are not defined at the start
};

struct LeastSquares {
  LeastSquaresEnd end = LeastSquaresEnd::limit;
  VecX p;
  Residuals at;  ///< at p
  int num_evaluations = 0;
};

/// Minimises 1/2 |r(p)|^2 from `start`, which is within the bounds. After `is_stopped` returns true, it ends.
LeastSquares minimise(const ResidualFunction& function, VecX start, const LeastSquaresOptions& options,
                      const std::function<bool()>& is_stopped);

/// How well residuals tell the parameters, with the Jacobian at the minimum.
struct Uncertainty {
  /// Covariance of the parameters for residuals of variance one; NaN for parameters at a bound, and for all if the data
  /// do not tell a combination of them.
  MatX covariance;
  /// A combination that the data do not tell: per parameter, its part in logarithms of the parameters; empty if there
  /// is none.
  VecX untold;
};

/// `is_free`: the parameters that are not at a bound.
Uncertainty find_uncertainty(const MatX& jacobian, const VecX& sizes, const std::vector<char>& is_free);

}  // namespace clearance::optimise
