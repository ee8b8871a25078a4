#include "clearance/optimise/least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

namespace clearance::optimise {

namespace {

constexpr double least_damping = 1e-12, first_damping = 1e-3, most_damping = 1e12;
/// Share of the cost, and number of evaluations that have to gain it together, or the search ends.
constexpr double stagnation = 1e-6;
constexpr int most_in_vain = 12;
/// Ratio of singular values, with parameters in units of their sizes, below which the data do not tell a combination.
constexpr double untold_ratio = 1e-7;
/// Part of a parameter in a combination that the data do not tell from which on the parameter is not told either.
constexpr double untold_part = 1e-4;
/// Least cosine between a step and the last one whose second derivative it is corrected by, and the longest correction
/// as a share of the step.
constexpr double least_alignment = 0.9, longest_correction = 0.75;
/// Share of a residual that the fit leaves it below which the residual says nothing about its variance.
constexpr double least_freedom = 1e-6;

/// Returns a matrix with rows and columns of unity for parameters that are not free.
MatX part_of(MatX matrix, const std::vector<char>& is_free) {
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    if (is_free[i] != 0) continue;
    matrix.row(i).setZero();
    matrix.col(i).setZero();
    matrix(i, i) = 1.0;
  }
  return matrix;
}

/// A step dq within bounds, in units of the sizes.
struct BoundedStep {
  VecX dq;
  std::vector<char> is_free;  // zero for parameters that end at a bound
};

/// Returns the minimum of 1/2 dq . matrix dq + slope . dq with low <= dq <= high, where 0 is allowed, by the method of
/// active sets [Noc06, sec. 16.5]. A parameter that meets its bound stays there, the others are solved for anew, and it
/// is freed where the slope then points inwards. Cutting off the parts of a step that lead beyond bounds would leave
/// the other parts as they suit a place where the step does not end.
BoundedStep bounded_step(const MatX& matrix, const VecX& slope, const VecX& low, const VecX& high) {
  const Eigen::Index n = slope.size();
  BoundedStep step{VecX::Zero(n), std::vector<char>(static_cast<std::size_t>(n), 1)};
  std::vector<char>& is_free = step.is_free;
  for (Eigen::Index i = 0; i < n; ++i) {
    if ((low[i] >= 0.0 && slope[i] > 0.0) || (high[i] <= 0.0 && slope[i] < 0.0)) is_free[i] = 0;
  }
  // Every turn lowers the minimum or meets a bound; rounding alone could make it cycle.
  for (Eigen::Index turn = 0; turn < 10 * n + 10; ++turn) {
    VecX right_side = -(matrix * step.dq + slope);
    for (Eigen::Index i = 0; i < n; ++i) {
      if (is_free[i] == 0) right_side[i] = 0.0;
    }
    const VecX way = part_of(matrix, is_free).ldlt().solve(right_side);
    double share = 1.0;
    Eigen::Index first = -1;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (is_free[i] == 0) continue;
      const double room = (way[i] < 0.0 ? low[i] : high[i]) - step.dq[i];
      if (!(std::abs(way[i]) * share > std::abs(room))) continue;
      share = room / way[i];
      first = i;
    }
    if (!std::isfinite(share)) break;
    step.dq += share * way;
    if (first >= 0) {
      step.dq[first] = way[first] < 0.0 ? low[first] : high[first];
      is_free[first] = 0;
      continue;
    }
    // Frees the parameter that gains most within its bound.
    const VecX left = matrix * step.dq + slope;
    double most = 0.0;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (is_free[i] != 0) continue;
      const double inwards = step.dq[i] <= low[i] ? -left[i] : left[i];
      const double gain = inwards > 0.0 ? inwards * inwards / matrix(i, i) : 0.0;
      if (!(gain > most)) continue;
      most = gain;
      first = i;
    }
    if (first < 0) break;
    is_free[first] = 1;
  }
  return step;
}

/// The second derivative r'' of the residuals along a step dq, in units of the sizes.
struct Bend {
  VecX dq, second;
};

/// Returns the correction of second order for the step dq (geodesic acceleration [Tra12]), zero if the last step had
/// another direction or the correction is long. It keeps the search in a curved valley, where straight steps lead up
/// the side. `solve` solves with the damped normal matrix, of which `scales` is the diagonal.
template <class Solve>
VecX correction_of(const VecX& dq, const Bend& last, const MatX& jacobian, const VecX& scales,
                   const std::vector<char>& is_free, const Solve& solve) {
  const auto product = [&](const VecX& a, const VecX& b) { return a.dot(scales.cwiseProduct(b)); };
  const VecX none = VecX::Zero(dq.size());
  const double along = product(dq, last.dq), length_sq = product(dq, dq), last_sq = product(last.dq, last.dq);
  if (!(std::abs(along) > least_alignment * std::sqrt(length_sq * last_sq))) return none;
  const double share = along / last_sq;
  VecX right_side = -share * share * (jacobian.transpose() * last.second);
  for (Eigen::Index i = 0; i < dq.size(); ++i) {
    if (is_free[i] == 0) right_side[i] = 0.0;
  }
  const VecX half = 0.5 * solve(right_side);
  return std::sqrt(product(half, half)) <= longest_correction * std::sqrt(length_sq) ? half : none;
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
  double damping = first_damping;
  bool is_edge_near = false;   // residuals were not defined after the last step that was hardly damped
  bool is_edge_ahead = false;  // they were not in the last evaluation
  // Cost that the last evaluations have to come below, and their number.
  double cost_to_beat = std::numeric_limits<double>::infinity();
  int num_in_vain = 0;
  std::optional<Bend> bend;  // of the last evaluation
  while (best.num_evaluations < options.max_evaluations) {
    // With q = p / sizes: (J^T J + damping diag) dq = -J^T r for the parameters that do not end at a bound.
    const MatX jacobian = best.at.jacobian * options.sizes.asDiagonal();
    const VecX slope = jacobian.transpose() * best.at.r;
    const MatX normal = jacobian.transpose() * jacobian;
    const double largest = std::max(normal.diagonal().maxCoeff(), std::numeric_limits<double>::min());
    const MatX scales = normal.diagonal().cwiseMax(1e-12 * largest).asDiagonal();
    const MatX damped = normal + damping * scales, hardly_damped = normal + least_damping * scales;
    const VecX low = (options.lower - best.p).cwiseQuotient(options.sizes),
               high = (options.upper - best.p).cwiseQuotient(options.sizes);
    const BoundedStep step = bounded_step(damped, slope, low, high);
    VecX dq = step.dq;
    if (bend) {
      dq += correction_of(dq, *bend, jacobian, damped.diagonal(), step.is_free,
                          [&](const VecX& b) { return VecX(part_of(damped, step.is_free).ldlt().solve(b)); });
    }
    VecX p = (best.p + options.sizes.cwiseProduct(dq)).cwiseMax(options.lower).cwiseMin(options.upper);
    for (Eigen::Index i = 0; i < p.size(); ++i) {
      // To the last digit, or the parameter would not count as one at its bound.
      if (step.is_free[i] == 0) p[i] = step.dq[i] <= low[i] ? options.lower[i] : options.upper[i];
    }
    const VecX moved = (p - best.p).cwiseQuotient(options.sizes.cwiseMax(best.p.cwiseAbs()));
    const double least_gain = options.cost_tolerance * best.at.cost();
    // Short steps are no end of the search if the way on is barred.
    const VecX newton = bounded_step(hardly_damped, slope, low, high).dq;
    const double gain_of_newton = -newton.dot(slope + 0.5 * (hardly_damped * newton));
    best.promised_gain = gain_of_newton;
    const LeastSquaresEnd end =
        is_edge_near && gain_of_newton > least_gain ? LeastSquaresEnd::blocked : LeastSquaresEnd::converged;
    if (!moved.allFinite() || moved.cwiseAbs().maxCoeff() <= options.tolerance) {
      best.end = end;
      return best;
    }
    const VecX predicted_change = best.at.jacobian * (p - best.p);
    const double predicted_gain = -predicted_change.dot(best.at.r + 0.5 * predicted_change);
    std::optional<Residuals> there = evaluate(p);
    if (is_stopped()) {
      best.end = LeastSquaresEnd::stopped;
      return best;
    }
    const bool is_negligible =
        there && predicted_gain <= least_gain && std::abs(there->cost() - best.at.cost()) <= least_gain;
    const bool is_better = there && there->cost() < best.at.cost();
    // A better step brings a Jacobian of its own, and any other the residuals at its end.
    const VecX taken = (p - best.p).cwiseQuotient(options.sizes);
    if (!there) {
      bend.reset();
    } else if (is_better) {
      bend = {taken, there->jacobian * (p - best.p) - predicted_change};
    } else {
      bend = {taken, 2.0 * (there->r - best.at.r - predicted_change)};
    }
    if (is_better) {
      best.p = p;
      best.at = std::move(*there);
      if (damping <= first_damping) is_edge_near = false;
      // The second better step in a row shows that the edge is not right ahead.
      if (!is_edge_ahead) damping = std::max(least_damping, 0.1 * damping);
      is_edge_ahead = false;
    } else {
      damping *= 10.0;
      is_edge_near = is_edge_near || !there;
      is_edge_ahead = !there;
    }
    // Steps about kinks in several parameters go to and fro, and gain next to nothing.
    num_in_vain = best.at.cost() < cost_to_beat ? 0 : num_in_vain + 1;
    if (num_in_vain == 0) cost_to_beat = (1.0 - stagnation) * best.at.cost();
    if (is_negligible || damping > most_damping || (there && num_in_vain >= most_in_vain)) {
      best.end = end;
      return best;
    }
  }
  return best;
}

namespace {

/// The free parameters, in units of their sizes, as combinations that the data tell and others that they do not.
struct Combinations {
  std::vector<Eigen::Index> free;
  MatX pseudoinverse;  // motion of the free parameters per residual
  VecX leverages;      // per residual: share of its own change by which the fit follows it
  MatX untold;         // one column per combination
  Eigen::Index rank = 0;
};

/// Eliminates parameters from combinations until each combination has one that no other has.
MatX separated(MatX combinations) {
  for (Eigen::Index k = 0; k < combinations.cols(); ++k) {
    Eigen::Index pivot = 0;
    combinations.col(k).cwiseAbs().maxCoeff(&pivot);
    for (Eigen::Index other = 0; other < combinations.cols(); ++other) {
      if (other == k) continue;
      combinations.col(other) -= combinations(pivot, other) / combinations(pivot, k) * combinations.col(k);
    }
  }
  for (Eigen::Index k = 0; k < combinations.cols(); ++k) combinations.col(k).normalize();
  return combinations;
}

Combinations find_combinations(const MatX& jacobian, const VecX& sizes, const std::vector<char>& is_free) {
  Combinations found;
  for (Eigen::Index i = 0; i < jacobian.cols(); ++i) {
    if (is_free[i] != 0) found.free.push_back(i);
  }
  const auto count = static_cast<Eigen::Index>(found.free.size());
  MatX scaled(jacobian.rows(), count);
  for (Eigen::Index i = 0; i < count; ++i) scaled.col(i) = sizes[found.free[i]] * jacobian.col(found.free[i]);
  found.leverages = VecX::Zero(jacobian.rows());
  found.pseudoinverse = MatX::Zero(count, jacobian.rows());
  if (count == 0 || jacobian.rows() == 0) return found;
  // The pseudoinverse by singular values does not square their ratio.
  const Eigen::JacobiSVD<MatX> svd(scaled, Eigen::ComputeThinU | Eigen::ComputeFullV);
  const VecX& values = svd.singularValues();
  while (found.rank < values.size() && values[found.rank] > untold_ratio * values[0]) ++found.rank;
  found.pseudoinverse = svd.matrixV().leftCols(found.rank) * values.head(found.rank).cwiseInverse().asDiagonal() *
                        svd.matrixU().leftCols(found.rank).transpose();
  found.leverages = svd.matrixU().leftCols(found.rank).rowwise().squaredNorm();
  found.untold = separated(svd.matrixV().rightCols(count - found.rank));
  return found;
}

/// Returns the uncertainty for residuals with the given variances.
Uncertainty uncertainty_of(const Combinations& found, const VecX& sizes, const VecX& variances) {
  const Eigen::Index n = sizes.size();
  Uncertainty result;
  result.num_told = static_cast<int>(found.rank);
  result.covariance = MatX::Constant(n, n, std::numeric_limits<double>::quiet_NaN());
  const auto count = static_cast<Eigen::Index>(found.free.size());
  std::vector<char> is_told(found.free.size(), 1);
  for (Eigen::Index k = 0; k < found.untold.cols(); ++k) {
    VecX combination = VecX::Zero(n);
    for (Eigen::Index i = 0; i < count; ++i) {
      combination[found.free[i]] = found.untold(i, k);
      if (std::abs(found.untold(i, k)) > untold_part) is_told[i] = 0;
    }
    result.untold.push_back(std::move(combination));
  }
  const MatX covariance = found.pseudoinverse * variances.asDiagonal() * found.pseudoinverse.transpose();
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < count; ++j) {
      if (is_told[i] == 0 || is_told[j] == 0) continue;
      result.covariance(found.free[i], found.free[j]) = sizes[found.free[i]] * sizes[found.free[j]] * covariance(i, j);
    }
  }
  return result;
}

}  // namespace

Uncertainty find_uncertainty(const MatX& jacobian, const VecX& sizes, const std::vector<char>& is_free) {
  return uncertainty_of(find_combinations(jacobian, sizes, is_free), sizes, VecX::Ones(jacobian.rows()));
}

Uncertainty find_scattered_uncertainty(const Residuals& residuals, const VecX& sizes,
                                       const std::vector<char>& is_free) {
  const Combinations found = find_combinations(residuals.jacobian, sizes, is_free);
  const Eigen::Index num_left = residuals.r.size() - found.rank;
  VecX variances = VecX::Constant(residuals.r.size(), std::numeric_limits<double>::quiet_NaN());
  if (num_left <= 0) return uncertainty_of(found, sizes, variances);
  const double pooled = residuals.r.squaredNorm() / static_cast<double>(num_left);
  for (Eigen::Index i = 0; i < residuals.r.size(); ++i) {
    // A residual that the fit follows is smaller than the error of its measurement.
    const double freedom = 1.0 - found.leverages[i];
    variances[i] = freedom > least_freedom ? residuals.r[i] * residuals.r[i] / (freedom * freedom) : pooled;
  }
  return uncertainty_of(found, sizes, variances);
}

}  // namespace clearance::optimise
