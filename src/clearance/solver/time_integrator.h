// Time integrators as incremental potentials: a step minimises 1/2 |x - x_tilde|_M^2 + scale * (sum of potentials) +
// barrier (eq. 2.5 for implicit Euler), and the velocity follows from the minimiser.
#pragma once

#include "clearance/model/model.h"
#include "clearance/solver/options.h"

namespace clearance {

struct InertialTarget {
  VecX x_tilde;  ///< [m]
  double scale =
      1.0;  ///< [s^2] factor of the potentials: h^2 (Euler), beta h^2 (Newmark), (2h/3)^2 (BDF2), 1 (quasi-static)
  bool has_inertia = true;
};

InertialTarget predict(const IntegratorOptions& options, const State& state);

/// Advances `state` to the positions x_t1 that minimise the incremental potential of `target`.
void commit(const IntegratorOptions& options, const InertialTarget& target, const VecX& x_t1, State& state);

}  // namespace clearance
