// The generalised minimal residual method for systems that are nearly the identity.
#pragma once

#include <Eigen/QR>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// Returns x with |b - (x + apply(x))| <= tolerance |b|, or the best x of `max_iterations` directions. `apply` is
/// linear. Convergence is the better, the smaller `apply` is or the fewer dimensions it reaches.
template <typename Apply>
VecX solve_identity_plus(const Apply& apply, const VecX& b, double tolerance, int max_iterations) {
  const double size = b.norm();
  if (!(size > 0.0)) return b;
  std::vector<VecX> basis = {b / size};
  Eigen::MatrixXd hessenberg = Eigen::MatrixXd::Zero(max_iterations + 1, max_iterations);
  Eigen::VectorXd coefficients;
  for (int k = 0; k < max_iterations; ++k) {
    VecX next = basis.back() + apply(basis.back());
    if (!(next.norm() > 1e-14)) break;  // the system maps the direction to zero, or there is none
    for (int i = 0; i <= k; ++i) {
      const VecX& direction = basis[i];
      hessenberg(i, k) = direction.dot(next);
      next -= hessenberg(i, k) * direction;
    }
    hessenberg(k + 1, k) = next.norm();
    Eigen::VectorXd wanted = Eigen::VectorXd::Zero(k + 2);
    wanted[0] = size;
    const auto matrix = hessenberg.topLeftCorner(k + 2, k + 1);
    coefficients = matrix.colPivHouseholderQr().solve(wanted);
    if ((wanted - matrix * coefficients).norm() <= tolerance * size || !(hessenberg(k + 1, k) > 1e-14)) break;
    basis.push_back(next / hessenberg(k + 1, k));
  }
  VecX x = VecX::Zero(b.size());
  for (Eigen::Index i = 0; i < coefficients.size(); ++i) x += coefficients[i] * basis[i];
  return x;
}

}  // namespace clearance
