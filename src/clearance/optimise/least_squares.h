// Nonlinear least squares with bounds, by the method of Levenberg and Marquardt [Mar63] with corrections of second
// order [Tra12].
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

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
  /// Change of the cost, as a share of it, that is negligible if it is also the most that the Jacobian promises. At a
  /// kink of the residuals the slope does not vanish, and steps gain such shares for ever.
  double cost_tolerance = 1e-8;
};

enum class LeastSquaresEnd {
  converged,  ///< the next change would be negligible
  limit,      ///< the evaluations are used up
  blocked,    ///< the residuals are not defined where the search has to go on
  stopped,    ///< the function said that it was stopped
  undefined   ///< the residuals are not defined at the start
};

struct LeastSquares {
  LeastSquaresEnd end = LeastSquaresEnd::limit;
  VecX p;
  Residuals at;  ///< at p
  int num_evaluations = 0;
  /// Gain of the cost that the Jacobian at p promises beyond it. A search that ends because no step keeps such a
  /// promise is at a kink of the residuals, or their Jacobian is wrong.
  double promised_gain = 0.0;
};

/// Minimises 1/2 |r(p)|^2 from `start`, which is within the bounds. After `is_stopped` returns true, it ends.
LeastSquares minimise(const ResidualFunction& function, VecX start, const LeastSquaresOptions& options,
                      const std::function<bool()>& is_stopped);

/// How well residuals tell the parameters, with the Jacobian at the minimum.
struct Uncertainty {
  /// Covariance of the parameters; NaN for those at a bound, and for those that the data do not tell.
  MatX covariance;
  /// Combinations that the data do not tell: per parameter, its part in logarithms of the parameters.
  std::vector<VecX> untold;
  int num_told = 0;  ///< combinations of parameters that the data tell
};

/// Uncertainty for residuals of variance one. `is_free`: the parameters that are not at a bound.
Uncertainty find_uncertainty(const MatX& jacobian, const VecX& sizes, const std::vector<char>& is_free);

/// Uncertainty for residuals of unknown variances, which need not be equal: those of the residuals left at the minimum
/// [Mac85, HC3]. NaN if there are no more residuals than combinations of parameters.
Uncertainty find_scattered_uncertainty(const Residuals& residuals, const VecX& sizes, const std::vector<char>& is_free);

}  // namespace clearance::optimise
