#include "clearance/optimise/least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

namespace clearance::optimise {

namespace {

constexpr double least_damping = 1e-12, most_damping = 1e12;
/// Ratio of singular values, with parameters in units of their sizes, below which the data do not tell a combination.
constexpr double untold_ratio = 1e-7;

/// Returns 1 for each parameter that may move: within its bounds, or with a slope that leads back.
std::vector<char> free_parameters(const VecX& p, const VecX& slope, const LeastSquaresOptions& options) {
  std::vector<char> is_free(p.size(), 1);
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    if (p[i] <= options.lower[i] && slope[i] > 0.0) is_free[i] = 0;
    if (p[i] >= options.upper[i] && slope[i] < 0.0) is_free[i] = 0;
  }
  return is_free;
}

}  // namespace

LeastSquares minimise(const ResidualFunction& function, VecX start, const LeastSquaresOptions& options,
                      const std::function<bool()>& is_stopped) {
  LeastSquares best;
  best.p = std::move(start);
  const auto evaluate = [&](const VecX& p) {
    ++best.num_evaluations;
    return function(p);
  };
  std::optional<Residuals> first = evaluate(best.p);
  if (!first) {
    best.end = is_stopped() ? LeastSquaresEnd::stopped : LeastSquaresEnd::undefined;
    return best;
  }
  best.at = std::move(*first);
  double damping = 1e-3;
  while (best.num_evaluations < options.max_evaluations) {
    // With q = p / sizes: (J^T J + damping diag) dq = -J^T r for the parameters that may move.
    const MatX jacobian = best.at.jacobian * options.sizes.asDiagonal();
    const VecX slope = jacobian.transpose() * best.at.r;
    const std::vector<char> is_free = free_parameters(best.p, slope, options);
    MatX normal = jacobian.transpose() * jacobian;
    VecX right_side = -slope;
    const double largest = std::max(normal.diagonal().maxCoeff(), std::numeric_limits<double>::min());
    for (Eigen::Index i = 0; i < best.p.size(); ++i) {
      if (is_free[i] == 0) {
        normal.row(i).setZero();
        normal.col(i).setZero();
        right_side[i] = 0.0;
        normal(i, i) = 1.0;
      } else {
        normal(i, i) += damping * std::max(normal(i, i), 1e-12 * largest);
      }
    }
    const VecX dq = normal.ldlt().solve(right_side);
    const VecX p = (best.p + options.sizes.cwiseProduct(dq)).cwiseMax(options.lower).cwiseMin(options.upper);
    const VecX moved = (p - best.p).cwiseQuotient(options.sizes.cwiseMax(best.p.cwiseAbs()));
    if (!moved.allFinite() || moved.cwiseAbs().maxCoeff() <= options.tolerance) {
      best.end = LeastSquaresEnd::converged;
      return best;
    }
    std::optional<Residuals> there = evaluate(p);
    if (is_stopped()) {
      best.end = LeastSquaresEnd::stopped;
      return best;
    }
    if (there && there->cost() < best.at.cost()) {
      const double gain = 1.0 - there->cost() / best.at.cost();
      best.p = p;
      best.at = std::move(*there);
      damping = std::max(least_damping, 0.1 * damping);
      // Nothing is left to gain but rounding.
      if (gain < 1e-14) {
        best.end = LeastSquaresEnd::converged;
        return best;
      }
    } else {
      damping *= 10.0;
      if (damping > most_damping) {
        best.end = LeastSquaresEnd::converged;
        return best;
      }
    }
  }
  return best;
}

Uncertainty find_uncertainty(const MatX& jacobian, const VecX& sizes, const std::vector<char>& is_free) {
  const Eigen::Index n = jacobian.cols();
  Uncertainty result;
  result.covariance = MatX::Constant(n, n, std::numeric_limits<double>::quiet_NaN());
  std::vector<Eigen::Index> free;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (is_free[i] != 0) free.push_back(i);
  }
  if (free.empty()) return result;
  const auto count = static_cast<Eigen::Index>(free.size());
  MatX scaled(jacobian.rows(), count);
  for (Eigen::Index i = 0; i < count; ++i) scaled.col(i) = sizes[free[i]] * jacobian.col(free[i]);
  // The pseudoinverse by singular values does not square their ratio.
  const Eigen::JacobiSVD<MatX> svd(scaled, Eigen::ComputeThinU | Eigen::ComputeFullV);
  const VecX& values = svd.singularValues();
  const bool is_short = values.size() < count;
  if (is_short || values[count - 1] <= untold_ratio * values[0]) {
    result.untold = VecX::Zero(n);
    for (Eigen::Index i = 0; i < count; ++i) result.untold[free[i]] = svd.matrixV()(i, count - 1);
    return result;
  }
  const MatX half = svd.matrixV() * values.cwiseInverse().asDiagonal();
  const MatX covariance = half * half.transpose();
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < count; ++j) {
      result.covariance(free[i], free[j]) = sizes[free[i]] * sizes[free[j]] * covariance(i, j);
    }
  }
  return result;
}

}  // namespace clearance::optimise
