// Minimisation of a function within bounds, by the limited-memory method of Broyden, Fletcher, Goldfarb and Shanno
// [Noc80], with directions and steps that are projected into the bounds [Ber82].
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clearance/math/types.h"

namespace clearance::optimise {

/// A number that must not be above 0, and its gradient at one place.
struct Constraint {
  double value = 0.0;
  VecX gradient;
};

/// A function and its gradient at one place.
struct Slope {
  double value = 0.0;
  VecX gradient;
  bool may_end = false;                      ///< all conditions are met, so that nothing more is wanted
  std::vector<Constraint> constraints = {};  ///< as many at every place; only moving asymptotes keep them
};

/// Returns the function at x; nothing if it is not defined there, and the search then keeps nearer.
using SlopeFunction = std::function<std::optional<Slope>(const VecX& x)>;

/// True if all values and gradients are finite.
bool is_finite(const Slope& slope);

enum class MinimiseMethod {
  lbfgs,  ///< L-BFGS within bounds (minimise.cpp)
  mma     ///< moving asymptotes, with constraints (moving_asymptotes.h)
};

struct MinimiseOptions {
  MinimiseMethod method = MinimiseMethod::lbfgs;
  VecX lower, upper;  ///< bounds; infinite: none
  VecX max_change;    ///< largest change of each number in an iteration; infinite: none
  int max_iterations = 500;
  double gradient_tolerance = 1e-8;         ///< length of the gradient, without parts that lead out of the bounds
  int history_size = 6;                     ///< pairs of changes that the Hessian is estimated from
  bool searches_line = true;                ///< false: each step is taken as it is
  double least_step = 1e-10;                ///< share of a direction below which the search for a lower value ends
  double first_change = 0.02;               ///< largest change in the first iteration, as a share of the largest number
  std::optional<double> first_length = {};  ///< the same in the unit of the numbers, instead
  /// Share of a change, up to 1, that x can make; empty: any change.
  std::function<double(const VecX& x, const VecX& change)> reach = {};
};

/// Returns the share of a change from x that a step takes: 1 if x can make all of it, else a little less than it can.
double share_within_reach(const MinimiseOptions& options, const VecX& x, const VecX& change);

enum class MinimumEnd {
  gradient,    ///< the gradient is short
  conditions,  ///< the function said that it may end
  limit,       ///< the iterations are used up
  no_descent,  ///< no lower value was found along the direction
  stopped,     ///< the function said that it was stopped
  undefined    ///< the function is not defined at the start
};

/// An accepted place. The start is iterate 0.
struct Iterate {
  int number = 0;
  int num_evaluations = 0;  ///< until it was accepted
  double value = 0.0;
  double gradient_norm = 0.0;  ///< as the tolerance measures it
  double step = 0.0;           ///< length of the change from the iterate before
  double violation = 0.0;      ///< largest constraint, if one is above 0
  VecX x;
};

struct Minimum {
  MinimumEnd end = MinimumEnd::limit;
  VecX x;
  Slope at;  ///< at x
  int num_iterations = 0;
  int num_evaluations = 0;
};

/// Minimises by the method of the options from `start`, which is moved into the bounds. Evaluations depend on nothing
/// but the values of the function, so that one which remembers its values goes on where it was stopped.
Minimum minimise(const SlopeFunction& function, VecX start, const MinimiseOptions& options,
                 const std::function<void(const Iterate&)>& on_iterate, const std::function<bool()>& is_stopped);

}  // namespace clearance::optimise
