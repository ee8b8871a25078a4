// The smoothly clamped barrier of [Fer23, eq. 2.6], on squared distances [Fer23, app. A.10].
//
// With s = d^2 - min_separation^2 and s_hat = (dhat + min_separation)^2 - min_separation^2, the barrier is
// b(s) = -(s - s_hat)^2 ln(s / s_hat) for s < s_hat, else 0. Its unit is m^4; the barrier stiffness kappa makes it an
// energy.
#pragma once

#include <cmath>

#include "clearance/math/logarithm.h"

namespace clearance {

struct BarrierOptions {
  double dhat = 1e-3;           ///< [m] contacts closer than min_separation + dhat feel a force
  double min_separation = 0.0;  ///< [m]

  /// Pairs with a squared distance below this are contacts. [m^2]
  double activation_sq() const { return (dhat + min_separation) * (dhat + min_separation); }
  /// What boxes grow by on every side so that all contacts are candidates. A hair more than half: no pair at exactly
  /// the activation distance may fall between two boxes. [m]
  double inflation() const { return 0.5 * (dhat + min_separation) * (1.0 + 1e-9); }
};

/// b, db/ds and d2b/ds2 of one squared distance.
struct BarrierValue {
  double value = 0.0;
  double first = 0.0;
  double second = 0.0;
};

inline double barrier(double distance_sq, const BarrierOptions& options) {
  const double s = distance_sq - options.min_separation * options.min_separation;
  const double s_hat = options.dhat * (options.dhat + 2.0 * options.min_separation);
  if (s >= s_hat) return 0.0;
  if (!(s > 0.0)) return INFINITY;
  return -(s - s_hat) * (s - s_hat) * logarithm(s / s_hat);
}

inline BarrierValue barrier_derivatives(double distance_sq, const BarrierOptions& options) {
  const double s = distance_sq - options.min_separation * options.min_separation;
  const double s_hat = options.dhat * (options.dhat + 2.0 * options.min_separation);
  if (s >= s_hat) return {};
  if (!(s > 0.0)) return {INFINITY, -INFINITY, INFINITY};
  const double difference = s - s_hat;
  const double log_ratio = logarithm(s / s_hat);
  return {-difference * difference * log_ratio, -difference * (2.0 * log_ratio + difference / s),
          -2.0 * log_ratio - difference * (4.0 / s - difference / (s * s))};
}

/// [m^3] Force of the barrier with kappa = 1 halfway to contact.
inline double middle_force(const BarrierOptions& options) {
  const double middle = 0.5 * options.dhat + options.min_separation;
  return -2.0 * middle * barrier_derivatives(middle * middle, options).first;
}

/// Second derivative of b(d^2) by d: the curvature along the normal.
inline double normal_curvature(double d, const BarrierValue& b) {
  return 4.0 * d * d * b.second + 2.0 * b.first;
}

}  // namespace clearance
