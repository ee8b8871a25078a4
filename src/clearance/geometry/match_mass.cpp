#include "clearance/geometry/match_mass.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "clearance/base/contract.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

constexpr int max_moments = 10;  // mass, three moments of the centre, six second moments
using Moments = Eigen::Matrix<double, max_moments, 1>;
// Multipliers in extended precision. If no densities meet the moments, multipliers grow until their products with
// moments cancel to rounding.
using LongMoments = Eigen::Matrix<long double, max_moments, 1>;

/// Returns the number of moments up to and including a kind.
int num_moments(int dim, MassMoments up_to) {
  switch (up_to) {
    case MassMoments::mass:
      return 1;
    case MassMoments::center:
      return 1 + dim;
    case MassMoments::inertia:
      return dim == 3 ? 10 : 4;
  }
  return 0;
}

/// Returns the moments of a shape about `origin` in units of `length`. Off-diagonal moments are scaled such that the
/// sum of squares equals that of all entries of the second moment.
Moments moments_of(int dim, const MassProperties& shape, const Vec<3>& origin, double length) {
  const Vec<3> arm = (shape.center - origin) / length;
  const Mat<3> second = shape.second_moment / (length * length) + shape.measure * arm * arm.transpose();
  Moments moments = Moments::Zero();
  moments[0] = shape.measure;
  moments.segment(1, dim) = shape.measure * arm.head(dim);
  if (dim == 2) {
    moments[3] = second.trace();
    return moments;
  }
  moments.segment<3>(4) = second.diagonal();
  moments.tail<3>() = std::sqrt(2.0) * Vec<3>(second(1, 2), second(2, 0), second(0, 1));
  return moments;
}

/// Minimises 1/2 sum w (s - s0)^2 over s >= 0 with sum w s a = c, in units that make all numbers close to 1. Its dual
/// has one unknown per moment, lambda, with s = max(0, s0 + a . lambda). The dual is a piecewise quadratic function,
///   1/2 sum w max(0, s0 + a . lambda)^2 - c . lambda.
class Programme {
 public:
  /// w and a of the elements; the first moment is 1 for all.
  std::vector<double> weights;
  std::vector<Moments> means;
  Moments target;  ///< c
  double s0 = 1.0;

  /// Meets the first `num_exact` moments exactly, and the others up to `num_moments` as closely as possible. Returns
  /// nothing if no s >= 0 meets the former.
  std::optional<std::vector<double>> solve(int num_exact, int num_moments) {
    // This is the method of multipliers. Each round shrinks the residual by `give` over the smallest eigenvalue of the
    // dual. If nothing meets the moments, multipliers grow until they prove it.
    Moments used = Moments::Zero(), exact = Moments::Zero();
    used.head(num_moments).setOnes();
    exact.head(num_exact).setOnes();
    LongMoments multipliers = LongMoments::Zero();
    double best = infinity;
    std::vector<double> solution;
    for (int round = 0; round < max_rounds; ++round) {
      const double give_of_exact = std::max(least_give, first_give * elementary::pow(0.1, round));
      const Moments give = give_of_exact * exact + inexact_give * (used - exact);
      multipliers = minimize(exact.cast<long double>().cwiseProduct(multipliers), give, used, multipliers);
      const Moments left = exact.cwiseProduct((target.cast<long double>() - sum(multipliers)).cast<double>());
      const double size = left.norm();
      if (size < best) solution = values(multipliers);
      if (size <= rounding || (best <= close_enough && size > 0.5 * best)) return solution;
      best = std::min(best, size);
      if (is_proof(left / size)) return std::nullopt;
    }
    return best <= close_enough ? std::optional(std::move(solution)) : std::nullopt;
  }

 private:
  static constexpr int max_rounds = 100, max_steps = 500;
  static constexpr double rounding = 1e-15, close_enough = 1e-12;
  static constexpr double first_give = 1e-2, least_give = 1e-9, inexact_give = 1e-7;

  long double value(std::size_t e, const LongMoments& lambda) const {
    long double sum = s0;
    for (int i = 0; i < max_moments; ++i) sum += means[e][i] * lambda[i];
    return std::max(0.0L, sum);
  }
  std::vector<double> values(const LongMoments& lambda) const {
    std::vector<double> s(means.size());
    for (std::size_t e = 0; e < s.size(); ++e) s[e] = static_cast<double>(value(e, lambda));
    return s;
  }
  LongMoments sum(const LongMoments& lambda) const {
    LongMoments total = LongMoments::Zero();
    for (std::size_t e = 0; e < means.size(); ++e) {
      total += weights[e] * value(e, lambda) * means[e].cast<long double>();
    }
    return total;
  }

  /// True if d proves that no s >= 0 meets the moments. For all s >= 0 that meet the mass, d . sum w s a is at most the
  /// mass times the largest d . a; if this is less than d . c, none meets d . c.
  bool is_proof(const Moments& d) const {
    double largest = 0.0;
    for (const Moments& a : means) largest = std::max(largest, a.dot(d));
    return target.dot(d) > target[0] * largest + 1e-13;
  }

  /// Returns the minimum of the dual plus 1/2 sum give (lambda - center)^2, by Newton's method. A step is exact once
  /// the set of elements with s > 0 no longer changes; a few more steps reduce rounding.
  LongMoments minimize(const LongMoments& center, const Moments& give, const Moments& used, LongMoments lambda) const {
    std::vector<char> is_positive(means.size(), 0), was_positive = is_positive;
    bool was_full_step = false;
    int num_settled = 0;
    for (int step = 0; step < max_steps && num_settled < 3; ++step) {
      LongMoments gradient = gradient_at(lambda, center, give).cwiseProduct(used.cast<long double>());
      Eigen::Matrix<double, max_moments, max_moments> hessian = (give + Moments::Ones() - used).asDiagonal();
      std::swap(is_positive, was_positive);
      for (std::size_t e = 0; e < means.size(); ++e) {
        is_positive[e] = value(e, lambda) > 0.0L;
        if (!is_positive[e]) continue;
        const Moments a = means[e].cwiseProduct(used);
        hessian += weights[e] * a * a.transpose();
      }
      const LongMoments direction = -hessian.ldlt().solve(gradient.cast<double>().eval()).cast<long double>();
      const bool has_settled = was_full_step && is_positive == was_positive;
      num_settled += has_settled;
      const double alpha = has_settled ? 1.0 : line_search(center, give, lambda, direction, gradient.dot(direction));
      lambda += static_cast<long double>(alpha) * direction;
      was_full_step = alpha == 1.0;
    }
    return lambda;
  }

  LongMoments gradient_at(const LongMoments& lambda, const LongMoments& center, const Moments& give) const {
    return sum(lambda) - target.cast<long double>() + give.cast<long double>().cwiseProduct(lambda - center);
  }

  /// Returns a step length at which the slope, which only grows, is well below the slope at the start.
  double line_search(const LongMoments& center, const Moments& give, const LongMoments& lambda,
                     const LongMoments& direction, long double slope_at_start) const {
    const long double noise = 1e-18L * direction.norm() * (1.0L + lambda.norm());
    double lower = 0.0, upper = infinity, alpha = 1.0;
    for (int i = 0; i < 60; ++i) {
      const LongMoments at = lambda + static_cast<long double>(alpha) * direction;
      const long double slope = direction.dot(gradient_at(at, center, give));
      if (std::abs(slope) <= 0.9L * std::abs(slope_at_start) + noise) break;
      (slope < 0.0L ? lower : upper) = alpha;
      alpha = std::isinf(upper) ? 2.0 * lower : 0.5 * (lower + upper);
    }
    return alpha;
  }
};

MassProperties with_densities(const std::vector<MassProperties>& elements, const std::vector<double>& densities,
                              const Vec<3>& origin) {
  double mass = 0.0;
  Vec<3> first = Vec<3>::Zero();
  Mat<3> second = Mat<3>::Zero();
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const Vec<3> arm = elements[e].center - origin;
    const double weight = densities[e] * elements[e].measure;
    mass += weight;
    first += weight * arm;
    second += densities[e] * elements[e].second_moment + weight * arm * arm.transpose();
  }
  const Vec<3> center = mass > 0.0 ? Vec<3>(first / mass) : Vec<3>(Vec<3>::Zero());
  return {mass, origin + center, second - mass * center * center.transpose()};
}

/// Units of moments: the mesh's volume and size.
struct MeshUnits {
  double volume;  // [m^3]
  double length;  // [m]
};

Programme programme_of(int dim, const std::vector<MassProperties>& elements, const MassProperties& target,
                       const MeshUnits& units, double least_share) {
  Programme programme;
  programme.target = moments_of(dim, target, target.center, units.length) / target.measure;
  for (const MassProperties& element : elements) {
    const Moments of_element = moments_of(dim, element, target.center, units.length);
    programme.weights.push_back(element.measure / units.volume);
    programme.means.push_back(of_element / element.measure);
    programme.target -= least_share * programme.weights.back() * programme.means.back();
  }
  programme.s0 = programme.target[0] = std::max(0.0, 1.0 - least_share);
  return programme;
}

}  // namespace

MassMatch match_mass(int dim, const std::vector<MassProperties>& elements, const MassProperties& target,
                     MassMoments moments, double min_density) {
  CLEARANCE_ASSERT(!elements.empty());
  // Moments are in units of the target's centre, the mesh's size and its mean density.
  double volume = 0.0, moment = 0.0;
  for (const MassProperties& element : elements) {
    volume += element.measure;
    moment += element.second_moment.trace() + element.measure * (element.center - target.center).squaredNorm();
  }
  const double length = std::sqrt(moment / volume), mean = target.measure / volume;
  MassMatch match;
  const auto finish = [&](std::vector<double> densities, std::optional<MassMoments> unmatched) {
    match.reached = with_densities(elements, densities, target.center);
    match.densities = std::move(densities);
    match.unmatched = unmatched;
    return match;
  };
  if (!(mean >= min_density)) return finish(std::vector<double>(elements.size(), min_density), MassMoments::mass);
  if (mean == 0.0) return finish(std::vector<double>(elements.size(), 0.0), std::nullopt);

  Programme programme = programme_of(dim, elements, target, {volume, length}, min_density / mean);

  const auto densities_of = [&](const std::vector<double>& s) {
    std::vector<double> densities(s.size());
    for (std::size_t e = 0; e < s.size(); ++e) densities[e] = min_density + mean * s[e];
    return densities;
  };
  std::vector<double> best;
  for (const MassMoments level : {MassMoments::mass, MassMoments::center, MassMoments::inertia}) {
    if (level > moments) break;
    const int count = num_moments(dim, level);
    if (auto s = programme.solve(count, count)) {
      best = std::move(*s);
      continue;
    }
    const int num_before = level == MassMoments::center ? 1 : 1 + dim;
    if (auto s = programme.solve(num_before, count)) best = std::move(*s);
    return finish(densities_of(best), level);
  }
  return finish(densities_of(best), std::nullopt);
}

}  // namespace clearance
