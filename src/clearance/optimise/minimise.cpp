#include "clearance/optimise/minimise.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "clearance/optimise/moving_asymptotes.h"

namespace clearance::optimise {
namespace {

/// Share of the decrease that the slope promises which a step must make [Arm66].
constexpr double least_decrease = 1e-4;
/// Share of the slope at the start of a step above which the function still falls so steeply that a longer step is
/// tried, the factor by which it is longer, and how often it may be extended. Without it a step where the function
/// bends downwards teaches nothing about its curvature: on PolyFEM's published lattice 20 iterations ended at an
/// objective of 0.38, where 15 with it end at 0.0101.
constexpr double most_steep = 0.9, extension = 3.0;
constexpr int most_extensions = 6;
/// Bounds of the factor by which a step that is too long is shortened.
constexpr double most_shortened = 0.1, least_shortened = 0.5;
/// Curvature along a change, as a share of lengths of the change and of that of the gradient, that is not rounding.
constexpr double least_curvature = 1e-10;

/// The changes of the last iterations, from which the inverse of the Hessian follows.
class Memory {
 public:
  explicit Memory(int size) : size_(static_cast<std::size_t>(std::max(size, 1))) {}

  void add(VecX dx, VecX dg) {
    if (!(dx.dot(dg) > least_curvature * dx.norm() * dg.norm())) return;
    pairs_.push_back({std::move(dx), std::move(dg)});
    if (pairs_.size() > size_) pairs_.pop_front();
  }
  void clear() { pairs_.clear(); }
  bool is_empty() const { return pairs_.empty(); }

  /// Returns the inverse of the Hessian of the free numbers times their gradient, by two loops [Noc80].
  VecX times(VecX q, const VecX& is_free) const {
    q = q.cwiseProduct(is_free);
    std::vector<double> alpha(pairs_.size(), 0.0), curvature(pairs_.size(), 0.0);
    std::optional<double> scale;
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      const VecX dx = pairs_[k].dx.cwiseProduct(is_free), dg = pairs_[k].dg.cwiseProduct(is_free);
      curvature[k] = dx.dot(dg);
      // Among the free numbers alone a pair may have no curvature.
      if (!(curvature[k] > least_curvature * dx.norm() * dg.norm())) {
        curvature[k] = 0.0;
        continue;
      }
      if (!scale) scale = curvature[k] / dg.squaredNorm();
      alpha[k] = dx.dot(q) / curvature[k];
      q -= alpha[k] * dg;
    }
    q *= scale.value_or(1.0);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      if (curvature[k] == 0.0) continue;
      const double beta = pairs_[k].dg.cwiseProduct(is_free).dot(q) / curvature[k];
      q += (alpha[k] - beta) * pairs_[k].dx.cwiseProduct(is_free);
    }
    return q;
  }

 private:
  struct Pair {
    VecX dx, dg;
  };
  std::size_t size_;
  std::deque<Pair> pairs_;
};

class Minimiser {
 public:
  Minimiser(const SlopeFunction& function, const MinimiseOptions& options,
            const std::function<void(const Iterate&)>& on_iterate, const std::function<bool()>& is_stopped)
      : function_(function),
        options_(options),
        on_iterate_(on_iterate),
        is_stopped_(is_stopped),
        memory_(options.history_size) {}

  Minimum run(VecX start) {
    best_.x = inside(std::move(start), options_.lower, options_.upper);
    std::optional<Slope> first = evaluate(best_.x);
    if (!first) {
      best_.end = is_stopped_() ? MinimumEnd::stopped : MinimumEnd::undefined;
      return std::move(best_);
    }
    best_.at = std::move(*first);
    report(0.0);
    while (true) {
      if (best_.at.may_end) return ended(MinimumEnd::conditions);
      const VecX is_free = free_numbers();
      if (best_.at.gradient.cwiseProduct(is_free).norm() <= options_.gradient_tolerance) {
        return ended(MinimumEnd::gradient);
      }
      if (best_.num_iterations >= options_.max_iterations) return ended(MinimumEnd::limit);
      const bool was_fresh = memory_.is_empty();
      if (step(is_free)) continue;
      if (is_stopped_()) return ended(MinimumEnd::stopped);
      if (was_fresh) return ended(MinimumEnd::no_descent);
      memory_.clear();  // the steepest descent is tried before the search is given up
    }
  }

 private:
  struct Trial {
    double alpha = 0.0;
    VecX x;
    Slope at;
  };

  static VecX inside(VecX x, const VecX& lower, const VecX& upper) { return x.cwiseMax(lower).cwiseMin(upper); }
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

  /// Returns 1 for each number that may move: within its bounds, or with a slope that leads back; 0 for others.
  VecX free_numbers() const {
    VecX is_free = VecX::Ones(best_.x.size());
    for (Eigen::Index i = 0; i < best_.x.size(); ++i) {
      if (best_.x[i] <= options_.lower[i] && best_.at.gradient[i] > 0.0) is_free[i] = 0.0;
      if (best_.x[i] >= options_.upper[i] && best_.at.gradient[i] < 0.0) is_free[i] = 0.0;
    }
    return is_free;
  }

  VecX direction(const VecX& is_free) {
    const VecX& g = best_.at.gradient;
    if (!memory_.is_empty()) {
      const VecX d = -memory_.times(g, is_free);
      if (d.allFinite() && d.dot(g) < 0.0) return d;
      memory_.clear();
    }
    const VecX steepest = -g.cwiseProduct(is_free);
    const double largest = std::max(best_.x.cwiseAbs().maxCoeff(), 1.0);
    return options_.first_length.value_or(options_.first_change * largest) / steepest.cwiseAbs().maxCoeff() * steepest;
  }

  /// Takes one step, of which the function is lower and less steep [Wol69]. False if none was found.
  bool step(const VecX& is_free) {
    const VecX d = direction(is_free);
    const VecX lower = options_.lower.cwiseMax(best_.x - options_.max_change);
    const VecX upper = options_.upper.cwiseMin(best_.x + options_.max_change);
    std::optional<Trial> found;
    double alpha = 1.0, longest = infinity;  // the function is known to be too high, or undefined, at `longest`
    for (int extensions = 0; alpha >= options_.least_step;) {
      Trial trial{alpha, inside(best_.x + alpha * d, lower, upper), {}};
      const VecX change = trial.x - best_.x;
      if (change.isZero(0.0) || (found && trial.x == found->x)) break;
      if (const double share = share_within_reach(options_, best_.x, change); share < 1.0) {
        if (found) break;
        longest = alpha;
        alpha *= share;
        continue;
      }
      std::optional<Slope> there = evaluate(trial.x);
      if (is_stopped_()) return false;
      const double promised = best_.at.gradient.dot(change);
      if (there && (!options_.searches_line || there->value <= best_.at.value + least_decrease * promised)) {
        const bool is_steep = there->gradient.dot(change) < most_steep * promised;
        trial.at = std::move(*there);
        found = std::move(trial);
        if (!options_.searches_line || !is_steep || extensions >= most_extensions || longest < infinity) break;
        alpha *= extension;
        ++extensions;
        continue;
      }
      longest = alpha;
      if (found) break;
      double shortened = most_shortened;
      if (there) {
        // The parabola with the slope here and the value there has its minimum here.
        const double bend = there->value - best_.at.value - promised;
        shortened = bend > 0.0 ? -promised / (2.0 * bend) : least_shortened;
      }
      alpha *= std::clamp(shortened, most_shortened, least_shortened);
    }
    if (!found) return false;
    const VecX change = found->x - best_.x;
    memory_.add(change, found->at.gradient - best_.at.gradient);
    best_.x = std::move(found->x);
    best_.at = std::move(found->at);
    ++best_.num_iterations;
    report(change.norm());
    return true;
  }

  void report(double length) const {
    if (!on_iterate_) return;
    on_iterate_({best_.num_iterations, best_.num_evaluations, best_.at.value,
                 best_.at.gradient.cwiseProduct(free_numbers()).norm(), length, 0.0, best_.x});
  }

  const SlopeFunction& function_;
  const MinimiseOptions& options_;
  const std::function<void(const Iterate&)>& on_iterate_;
  const std::function<bool()>& is_stopped_;
  Memory memory_;
  Minimum best_;
};

}  // namespace

bool is_finite(const Slope& slope) {
  return std::isfinite(slope.value) && slope.gradient.allFinite() &&
         std::all_of(slope.constraints.begin(), slope.constraints.end(), [](const Constraint& constraint) {
           return std::isfinite(constraint.value) && constraint.gradient.allFinite();
         });
}

double share_within_reach(const MinimiseOptions& options, const VecX& x, const VecX& change) {
  // Share of the way that x can make which a step takes.
  constexpr double within_reach = 0.95;
  const double reach = options.reach ? options.reach(x, change) : 1.0;
  return reach < 1.0 ? within_reach * reach : 1.0;
}

Minimum minimise(const SlopeFunction& function, VecX start, const MinimiseOptions& options,
                 const std::function<void(const Iterate&)>& on_iterate, const std::function<bool()>& is_stopped) {
  if (options.method == MinimiseMethod::mma) {
    return minimise_by_asymptotes(function, std::move(start), options, on_iterate, is_stopped);
  }
  return Minimiser(function, options, on_iterate, is_stopped).run(std::move(start));
}

}  // namespace clearance::optimise
