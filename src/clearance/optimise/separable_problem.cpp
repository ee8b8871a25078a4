#include "clearance/optimise/separable_problem.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace clearance::optimise {
namespace {

constexpr int most_iterations = 200;
/// Constraint that counts as met, beside 1, the size of all functions.
constexpr double negligible = 1e-13;
/// Largest growth of a multiplier in an iteration: where all numbers are at their limits the dual function is straight.
constexpr double most_growth = 10.0;
constexpr double least_increase = 1e-4;  // of the dual function, as a share of what its slope promises [Arm66]
constexpr double least_share = 1e-12;    // of a direction
constexpr double rounding = 1e-14;

}  // namespace

VecX SeparableProblem::values(const VecX& x) const {
  return constant + p * (high_asymptote - x).cwiseInverse() + q * (x - low_asymptote).cwiseInverse();
}

/// Returns x at which the sum of weights times functions is least.
VecX SeparableProblem::minimum(const VecX& weights) const {
  const Eigen::ArrayXd root_p = (p.transpose() * weights).array().sqrt(),
                       root_q = (q.transpose() * weights).array().sqrt();
  const VecX free = (root_p * low_asymptote.array() + root_q * high_asymptote.array()) / (root_p + root_q);
  return free.cwiseMax(lower).cwiseMin(upper);
}

VecX SeparableProblem::solve() const {
  const Eigen::Index count = p.rows() - 1;
  VecX multipliers = VecX::Zero(count);
  struct Dual {
    VecX x, gradient;  // of the dual function, which is to be maximised
    double value = 0.0;
  };
  const auto dual_at = [&](const VecX& at) {
    VecX weights(count + 1);
    weights << 1.0, at;
    Dual dual{minimum(weights), {}, 0.0};
    const VecX f = values(dual.x), y = (at.array() - cost).max(0.0);
    dual.gradient = f.tail(count) - y;
    dual.value = weights.dot(f) + (cost * y.array() + 0.5 * y.array().square() - at.array() * y.array()).sum();
    return dual;
  };
  Dual here = dual_at(multipliers);
  for (int iteration = 0; iteration < most_iterations && count > 0; ++iteration) {
    // A multiplier stays zero while its constraint has room.
    const VecX is_free = (multipliers.array() > 0.0 || here.gradient.array() > 0.0).cast<double>();
    const VecX gradient = here.gradient.cwiseProduct(is_free);
    if (gradient.cwiseAbs().maxCoeff() <= negligible) break;
    // The second derivatives, with their sign changed. Numbers at their limits have no part in them.
    VecX weights(count + 1);
    weights << 1.0, multipliers;
    const Eigen::ArrayXd to_high = (high_asymptote - here.x).array(), to_low = (here.x - low_asymptote).array();
    const Eigen::ArrayXd bend =
        2.0 * ((p.transpose() * weights).array() / to_high.cube() + (q.transpose() * weights).array() / to_low.cube());
    const Eigen::ArrayXd is_between = (here.x.array() > lower.array() && here.x.array() < upper.array()).cast<double>();
    const MatX slopes = is_free.asDiagonal() * (p.bottomRows(count) * to_high.square().inverse().matrix().asDiagonal() -
                                                q.bottomRows(count) * to_low.square().inverse().matrix().asDiagonal());
    MatX hessian = slopes * (is_between / bend).matrix().asDiagonal() * slopes.transpose();
    const double scale = std::max(hessian.diagonal().maxCoeff(), gradient.cwiseAbs().maxCoeff() * 1e-3);
    for (Eigen::Index i = 0; i < count; ++i) {
      hessian(i, i) += (multipliers[i] > cost ? 1.0 : 0.0) + 1e-12 * scale + (is_free[i] == 0.0 ? 1.0 : 0.0);
    }
    VecX direction = hessian.ldlt().solve(gradient);
    if (!(direction.dot(gradient) > 0.0)) direction = gradient;
    if (direction.dot(gradient) <= negligible * negligible * (1.0 + std::abs(here.value))) break;
    const double growth = (direction.array() / multipliers.array().max(1.0)).maxCoeff() / most_growth;
    if (growth > 1.0) direction /= growth;
    double share = 1.0;
    for (; share > least_share; share *= 0.5) {
      const VecX there = (multipliers + share * direction).cwiseMax(0.0);
      Dual next = dual_at(there);
      // Near the maximum values are equal to rounding, and the gradient tells which one is nearer.
      const VecX left = next.gradient.cwiseProduct(is_free);
      const bool is_equal = std::abs(next.value - here.value) <= rounding * (1.0 + std::abs(here.value));
      const bool is_better = is_equal ? left.norm() < gradient.norm()
                                      : next.value > here.value + least_increase * gradient.dot(there - multipliers);
      if (!is_better) continue;
      multipliers = there;
      here = std::move(next);
      break;
    }
    if (share <= least_share) break;  // rounding of the dual function
  }
  return here.x;
}

}  // namespace clearance::optimise
