// Central finite differences: the reference for every derivative of the project.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

namespace clearance::test {

/// Step of the differences [unit of x], for states whose entries are about 1: eps^(1/3) balances truncation and
/// rounding.
inline constexpr double finite_difference_step = 6e-6;

/// Gradient of f : VecX -> double.
template <class Function>
Eigen::VectorXd finite_difference_gradient(const Function& f, const Eigen::VectorXd& x,
                                           double step = finite_difference_step) {
  Eigen::VectorXd gradient(x.size());
  Eigen::VectorXd moved = x;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    moved[i] = x[i] + step;
    const double ahead = f(moved);
    moved[i] = x[i] - step;
    gradient[i] = (ahead - f(moved)) / (2.0 * step);
    moved[i] = x[i];
  }
  return gradient;
}

/// Jacobian of g : VecX -> VecX; column j holds the derivatives by x_j. With g a gradient, the Hessian.
template <class Function>
Eigen::MatrixXd finite_difference_jacobian(const Function& g, const Eigen::VectorXd& x,
                                           double step = finite_difference_step) {
  Eigen::MatrixXd jacobian(0, x.size());
  Eigen::VectorXd moved = x;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    moved[j] = x[j] + step;
    const Eigen::VectorXd ahead = g(moved);
    moved[j] = x[j] - step;
    const Eigen::VectorXd behind = g(moved);
    moved[j] = x[j];
    if (j == 0) jacobian.resize(ahead.size(), x.size());
    jacobian.col(j) = (ahead - behind) / (2.0 * step);
  }
  return jacobian;
}

/// Returns the largest difference of two vectors or matrices relative to the largest entry of the reference: |a - b| /
/// max(|b|, floor), in the maximum norm. Compare it with a tolerance such as 1e-6. Different shapes or a NaN give
/// infinity.
template <class A, class B>
double relative_difference(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b, double floor = 1e-8) {
  constexpr double different = std::numeric_limits<double>::infinity();
  if (a.rows() != b.rows() || a.cols() != b.cols()) return different;
  if (a.size() == 0) return 0.0;
  const double scale = std::max(b.derived().cwiseAbs().maxCoeff(), floor);
  const double difference = (a.derived() - b.derived()).cwiseAbs().maxCoeff() / scale;
  return std::isfinite(difference) && a.derived().allFinite() && b.derived().allFinite() ? difference : different;
}

}  // namespace clearance::test
