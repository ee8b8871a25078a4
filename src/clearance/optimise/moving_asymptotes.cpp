#include "clearance/optimise/moving_asymptotes.h"

#include <algorithm>
#include <cmath>

#include "clearance/optimise/separable_problem.h"

namespace clearance::optimise {
namespace {

/// Factors by which the distances of asymptotes change where a number turns back, and where it goes on [Sva02].
constexpr double nearer = 0.7, farther = 1.2;
/// Bounds of these distances, as shares of the first ones.
constexpr double least_distance = 0.02, most_distance = 20.0;
/// Share of the way to an asymptote that a number may go.
constexpr double most_of_way = 0.9;
/// Curvature of an approximation at first, as a share of its slopes; the least; and the most by which it grows at once.
constexpr double first_curvature = 0.1, least_curvature = 1e-6, curvature_growth = 10.0;
/// An approximation that is lower than its function by this share of their size counts as above.
constexpr double rounding = 1e-10;
constexpr int most_trials = 30;  // of one iteration
/// Share of a way that is taken after the end of the whole way was not defined.
constexpr double shortened = 0.3;
/// First distance of the asymptotes of a number without bounds, in first changes of a search by gradients.
constexpr double first_distance = 5.0;
/// Cost of a violation, in the units of the method: multipliers up to this are right.
constexpr double cost_of_violation = 1e5;
/// Constraints above 0 by this share of the size of their slopes count as met; those that are less than the other share
/// below 0 have a multiplier.
constexpr double feasible_share = 1e-8, active_share = 1e-7;

class Asymptotes {
 public:
  Asymptotes(const SlopeFunction& function, const MinimiseOptions& options,
             const std::function<void(const Iterate&)>& on_iterate, const std::function<bool()>& is_stopped)
      : function_(function), options_(options), on_iterate_(on_iterate), is_stopped_(is_stopped) {}

  Minimum run(VecX start) {
    best_.x = start.cwiseMax(options_.lower).cwiseMin(options_.upper);
    std::optional<Slope> first = evaluate(best_.x);
    if (!first) return ended(is_stopped_() ? MinimumEnd::stopped : MinimumEnd::undefined);
    best_.at = std::move(*first);
    choose_scales();
    report(0.0);
    while (true) {
      if (violation(best_.at) == 0.0) {
        if (best_.at.may_end) return ended(MinimumEnd::conditions);
        if (gradient_norm() <= options_.gradient_tolerance) return ended(MinimumEnd::gradient);
      }
      if (best_.num_iterations >= options_.max_iterations) return ended(MinimumEnd::limit);
      move_asymptotes();
      if (step()) continue;
      return ended(is_stopped_() ? MinimumEnd::stopped : MinimumEnd::no_descent);
    }
  }

 private:
  Minimum ended(MinimumEnd end) {
    best_.end = end;
    return std::move(best_);
  }

  std::optional<Slope> evaluate(const VecX& x) {
    ++best_.num_evaluations;
    std::optional<Slope> slope = function_(x);
    if (slope && !is_finite(*slope)) slope.reset();
    return slope;
  }

  /// Chooses the first distances of the asymptotes, and units in which slopes over these distances are about 1.
  void choose_scales() {
    const double largest = std::max(best_.x.cwiseAbs().maxCoeff(), 1.0);
    const double first = first_distance * options_.first_length.value_or(options_.first_change * largest);
    distances_ = VecX::Constant(best_.x.size(), first);
    for (Eigen::Index j = 0; j < distances_.size(); ++j) {
      const double range = options_.upper[j] - options_.lower[j];
      if (std::isfinite(range)) distances_[j] = range > 0.0 ? 0.5 * range : 1.0;
    }
    sizes_ = distances_;
    const auto scale_of = [&](const VecX& gradient) {
      const double scale = gradient.cwiseAbs().cwiseProduct(sizes_).maxCoeff();
      return scale > 0.0 ? scale : 1.0;
    };
    scales_.resize(1 + std::ssize(best_.at.constraints));
    scales_[0] = scale_of(best_.at.gradient);
    for (Eigen::Index k = 1; k < scales_.size(); ++k) scales_[k] = scale_of(constraint(best_.at, k).gradient);
  }

  static const Constraint& constraint(const Slope& at, Eigen::Index row) {
    return at.constraints[static_cast<std::size_t>(row - 1)];
  }
  VecX values_of(const Slope& at) const {
    VecX values(scales_.size());
    values[0] = at.value / scales_[0];
    for (Eigen::Index k = 1; k < values.size(); ++k) values[k] = constraint(at, k).value / scales_[k];
    return values;
  }

  /// Largest constraint in its scale; 0 if all are met.
  double violation(const Slope& at) const {
    const VecX values = values_of(at);
    const double largest = values.size() > 1 ? values.tail(values.size() - 1).maxCoeff() : 0.0;
    return largest <= feasible_share ? 0.0 : largest;
  }

  /// Moves the asymptotes nearer to numbers that turn back and away from those that go on.
  void move_asymptotes() {
    if (best_.num_iterations < 2) return;
    for (Eigen::Index j = 0; j < distances_.size(); ++j) {
      const double turn = (best_.x[j] - last_x_[j]) * (last_x_[j] - second_last_x_[j]);
      const double factor = turn < 0.0 ? nearer : turn > 0.0 ? farther : 1.0;
      distances_[j] = std::clamp(factor * distances_[j], least_distance * sizes_[j], most_distance * sizes_[j]);
    }
  }

  /// Approximates all functions at the best place, with some curvature for each.
  SeparableProblem approximation(const VecX& curvatures) const {
    const Eigen::Index rows = scales_.size(), size = best_.x.size();
    SeparableProblem problem{
        MatX(rows, size), MatX(rows, size), values_of(best_.at), best_.x - distances_, best_.x + distances_, {}, {},
        cost_of_violation};
    const VecX limits = (most_of_way * distances_).cwiseMin(options_.max_change);
    problem.lower = options_.lower.cwiseMax(best_.x - limits);
    problem.upper = options_.upper.cwiseMin(best_.x + limits);
    for (Eigen::Index k = 0; k < rows; ++k) {
      const VecX& gradient = k == 0 ? best_.at.gradient : constraint(best_.at, k).gradient;
      for (Eigen::Index j = 0; j < size; ++j) {
        // The parts for rise and fall are above 0, so that every approximation is convex.
        const double slope = gradient[j] / scales_[k], rise = std::max(slope, 0.0), fall = std::max(-slope, 0.0);
        const double least = 1e-3 * (rise + fall) + curvatures[k] / sizes_[j], square = distances_[j] * distances_[j];
        problem.p(k, j) = square * (rise + least);
        problem.q(k, j) = square * (fall + least);
        problem.constant[k] -= (problem.p(k, j) + problem.q(k, j)) / distances_[j];
      }
    }
    return problem;
  }

  /// Goes to the minimum of approximations that are not below the functions there. False if there is none.
  bool step() {
    VecX curvatures(scales_.size());
    for (Eigen::Index k = 0; k < curvatures.size(); ++k) {
      const VecX& gradient = k == 0 ? best_.at.gradient : constraint(best_.at, k).gradient;
      const double mean = gradient.cwiseAbs().dot(sizes_) / (scales_[k] * static_cast<double>(gradient.size()));
      curvatures[k] = std::max(first_curvature * mean, least_curvature);
    }
    double share = 1.0;  // of the way to the minimum of the approximations
    for (int trial = 0; trial < most_trials; ++trial) {
      const SeparableProblem problem = approximation(curvatures);
      VecX change = share * (problem.solve() - best_.x);
      change *= share_within_reach(options_, best_.x, change);
      const VecX x = best_.x + change;
      if ((change.array().abs() <= options_.least_step * sizes_.array()).all()) return false;
      std::optional<Slope> there = evaluate(x);
      if (is_stopped_()) return false;
      if (!there) {
        share *= shortened;
        continue;
      }
      if (is_above(problem, x, *there, curvatures)) {
        take(x, std::move(*there));
        return true;
      }
    }
    return false;
  }

  /// True if no approximation is below its function at x; else those that are get more curvature.
  bool is_above(const SeparableProblem& problem, const VecX& x, const Slope& there, VecX& curvatures) const {
    const VecX expected = problem.values(x), found = values_of(there);
    // A unit of curvature adds this at x.
    const Eigen::ArrayXd way_sq = (x - best_.x).array().square(), distance = distances_.array();
    const double added = (2.0 * distance * way_sq / (sizes_.array() * (distance.square() - way_sq))).sum();
    bool is_above_all = true;
    for (Eigen::Index k = 0; k < curvatures.size(); ++k) {
      const double missing = found[k] - expected[k];
      if (missing <= rounding * (1.0 + std::abs(found[k]))) continue;
      is_above_all = false;
      curvatures[k] = std::min(curvature_growth * curvatures[k], 1.1 * (curvatures[k] + missing / added));
    }
    return is_above_all;
  }

  void take(const VecX& x, Slope at) {
    second_last_x_ = std::move(last_x_);
    last_x_ = std::move(best_.x);
    best_.x = x;
    best_.at = std::move(at);
    ++best_.num_iterations;
    report((best_.x - last_x_).norm());
  }

  double gradient_norm() const {
    std::vector<double> margins;
    for (Eigen::Index k = 1; k < scales_.size(); ++k) margins.push_back(active_share * scales_[k]);
    return length_of_lagrange_gradient(best_.x, best_.at, options_, margins);
  }

  void report(double length) const {
    if (!on_iterate_) return;
    double largest = 0.0;
    for (const Constraint& constraint : best_.at.constraints) largest = std::max(largest, constraint.value);
    on_iterate_(
        {best_.num_iterations, best_.num_evaluations, best_.at.value, gradient_norm(), length, largest, best_.x});
  }

  const SlopeFunction& function_;
  const MinimiseOptions& options_;
  const std::function<void(const Iterate&)>& on_iterate_;
  const std::function<bool()>& is_stopped_;
  VecX sizes_, distances_;       // first and present distances of the asymptotes
  VecX scales_;                  // of the function and of each constraint
  VecX last_x_, second_last_x_;  // iterates before the best place
  Minimum best_;
};

}  // namespace

Minimum minimise_by_asymptotes(const SlopeFunction& function, VecX start, const MinimiseOptions& options,
                               const std::function<void(const Iterate&)>& on_iterate,
                               const std::function<bool()>& is_stopped) {
  return Asymptotes(function, options, on_iterate, is_stopped).run(std::move(start));
}

double length_of_lagrange_gradient(const VecX& x, const Slope& at, const MinimiseOptions& options,
                                   const std::vector<double>& margins) {
  constexpr int most_rounds = 200;
  constexpr double negligible = 1e-12;  // change of the gradient in a round, as a share of the objective's
  // Slopes that lead back from a bound, and all slopes of numbers between bounds.
  const auto inwards = [&](VecX slope) {
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      if (x[i] <= options.lower[i]) slope[i] = std::min(slope[i], 0.0);
      if (x[i] >= options.upper[i]) slope[i] = std::max(slope[i], 0.0);
    }
    return slope;
  };
  VecX lagrange = at.gradient;
  std::vector<double> multipliers(at.constraints.size(), 0.0);
  // The square of the length is convex in the multipliers, and quadratic in each between kinks.
  for (int round = 0; round < most_rounds; ++round) {
    double change = 0.0;
    for (std::size_t k = 0; k < multipliers.size(); ++k) {
      const Constraint& constraint = at.constraints[k];
      if (constraint.value < -margins[k]) continue;
      const VecX left = inwards(lagrange);
      const VecX moved = (left.array() != 0.0).select(constraint.gradient, 0.0);
      const double bend = moved.squaredNorm();
      if (bend == 0.0) continue;
      const double next = std::max(multipliers[k] - moved.dot(left) / bend, 0.0);
      lagrange += (next - multipliers[k]) * constraint.gradient;
      change = std::max(change, std::abs(next - multipliers[k]) * constraint.gradient.norm());
      multipliers[k] = next;
    }
    if (change <= negligible * at.gradient.norm()) break;
  }
  return inwards(std::move(lagrange)).norm();
}

}  // namespace clearance::optimise
