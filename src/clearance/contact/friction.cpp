#include "clearance/contact/friction.h"

namespace clearance {

double FrictionLaw::potential(double y) const {
  const double t = y / eps;
  if (t < 1.0) return mu.sticking * eps * t * t * (1.0 - t / 3.0);
  const double at_eps = mu.sticking * eps * (2.0 / 3.0);
  const double drop = mu.sliding - mu.sticking;
  if (t < 2.0) {
    const double q = t - 1.0;
    return at_eps + eps * (mu.sticking * q + drop * q * q * q * (1.0 - 0.5 * q));
  }
  return at_eps + eps * (mu.sticking + 0.5 * drop) + mu.sliding * (y - 2.0 * eps);
}

double FrictionLaw::force(double y) const {
  const double t = y / eps;
  if (t < 1.0) return mu.sticking * t * (2.0 - t);
  if (t < 2.0) {
    const double q = t - 1.0;
    return mu.sticking + (mu.sliding - mu.sticking) * q * q * (3.0 - 2.0 * q);
  }
  return mu.sliding;
}

double FrictionLaw::force_over_distance(double y) const {
  if (y < eps) return mu.sticking * (2.0 - y / eps) / eps;
  return force(y) / y;
}

double FrictionLaw::stiffness(double y) const {
  const double t = y / eps;
  if (t < 1.0) return 2.0 * mu.sticking * (1.0 - t) / eps;
  if (t < 2.0) {
    const double q = t - 1.0;
    return 6.0 * (mu.sliding - mu.sticking) * q * (1.0 - q) / eps;
  }
  return 0.0;
}

}  // namespace clearance
