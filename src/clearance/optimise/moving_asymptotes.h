// Minimisation within bounds and under inequalities by the method of moving asymptotes, with approximations that are
// never below the function at the places that are accepted (GCMMA) [Sva02].
#pragma once

#include "clearance/optimise/minimise.h"

namespace clearance::optimise {

/// Minimises as minimise() does. An iterate is a place where no approximation was below its function: it is lower and
/// within the constraints, or nearer to them. `history_size` and `searches_line` have no effect.
Minimum minimise_by_asymptotes(const SlopeFunction& function, VecX start, const MinimiseOptions& options,
                               const std::function<void(const Iterate&)>& on_iterate,
                               const std::function<bool()>& is_stopped);

/// Length of the gradient of the Lagrange function at x, with the multipliers for which it is shortest: zero at a
/// minimum. Constraint k has none if it is at least `margins[k]` below 0, and slopes that lead out of the bounds do not
/// count.
double length_of_lagrange_gradient(const VecX& x, const Slope& at, const MinimiseOptions& options,
                                   const std::vector<double>& margins);

}  // namespace clearance::optimise
