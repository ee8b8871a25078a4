// The smoothly clamped barrier of [Fer23, eq. 2.6], on squared distances [Fer23, app. A.10].
//
// With s = d^2 - min_separation^2 and s_hat = (dhat + min_separation)^2 - min_separation^2, the barrier is
// b(s) = -(s - s_hat)^2 ln(s / s_hat) for s < s_hat, else 0. Its unit is m^4; the barrier stiffness kappa makes it an
// energy.
#pragma once

#include <cmath>

#include "clearance/math/log_barrier.h"

namespace clearance {

struct BarrierOptions {
  double dhat = 1e-3;           ///< [m] contacts closer than min_separation + dhat feel a force
  double min_separation = 0.0;  ///< [m]

  /// Returns the options of a pair whose features have radii with this sum [m].
  BarrierOptions at(double thickness, double its_dhat) const { return {its_dhat, min_separation + thickness}; }
  /// s_hat [m^2]
  double clamp() const { return dhat * (dhat + 2.0 * min_separation); }
  /// Pairs with a squared distance below this are contacts. [m^2]
  double activation_sq() const { return (dhat + min_separation) * (dhat + min_separation); }
  /// Margin added to every box on every side so that the broad phase reports every contact [m]. It is slightly more
  /// than half of the activation distance: no pair at exactly that distance may fall between two boxes.
  double inflation() const { return 0.5 * (dhat + min_separation) * (1.0 + 1e-9); }
};

inline double barrier(double distance_sq, const BarrierOptions& options) {
  return log_barrier_value(distance_sq - options.min_separation * options.min_separation, options.clamp());
}

inline BarrierValue barrier_derivatives(double distance_sq, const BarrierOptions& options) {
  return log_barrier(distance_sq - options.min_separation * options.min_separation, options.clamp());
}

/// Returns the force [m^3] of the barrier with kappa = 1 halfway to contact.
inline double middle_force(const BarrierOptions& options) {
  const double middle = 0.5 * options.dhat + options.min_separation;
  return -2.0 * middle * barrier_derivatives(middle * middle, options).first;
}

/// Returns the second derivative of b(d^2) by d: the curvature along the normal.
inline double normal_curvature(double d, const BarrierValue& b) {
  return 4.0 * d * d * b.second + 2.0 * b.first;
}

}  // namespace clearance
