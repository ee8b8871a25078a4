// The smoothly clamped logarithm of [Fer23, eq. 2.6]: b(s) = -(s - s_hat)^2 ln(s / s_hat) below s_hat, else 0. It is
// twice continuously differentiable, and infinite at zero. It keeps contacts apart, elements from being pressed flat
// and joints within their limits.
#pragma once

#include <cmath>

#include "clearance/math/logarithm.h"

namespace clearance {

/// b, db/ds and d2b/ds2.
struct BarrierValue {
  double value = 0.0;
  double first = 0.0;
  double second = 0.0;
};

inline double log_barrier_value(double s, double s_hat) {
  if (s >= s_hat) return 0.0;
  if (!(s > 0.0)) return INFINITY;
  return -(s - s_hat) * (s - s_hat) * logarithm(s / s_hat);
}

inline BarrierValue log_barrier(double s, double s_hat) {
  if (s >= s_hat) return {};
  if (!(s > 0.0)) return {INFINITY, -INFINITY, INFINITY};
  const double difference = s - s_hat;
  const double log_ratio = logarithm(s / s_hat);
  return {-difference * difference * log_ratio, -difference * (2.0 * log_ratio + difference / s),
          -2.0 * log_ratio - difference * (4.0 / s - difference / (s * s))};
}

}  // namespace clearance
