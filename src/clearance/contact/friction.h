// Coulomb's law of one contact, smoothed below a small velocity [Fer23, sec. 2.5.3, app. A.8], as a function of the
// sliding distance y of a step: [Fer23, eq. 2.13 to 2.15] for the coefficient 1.
#pragma once

#include "clearance/model/friction_table.h"

namespace clearance {

struct FrictionLaw {
  double eps = 0.0;  ///< [m] eps_v h: sliding by less counts as sticking

  /// Returns the integral of `force` from 0 to y [m]: f_0 of [Fer23, eq. 2.15], less its value eps / 3 at rest.
  double potential(double y) const { return y < eps ? y * y * (eps - y / 3.0) / (eps * eps) : y - eps / 3.0; }
  /// Returns f_1 of [Fer23, eq. 2.13].
  double force(double y) const { return y < eps ? y * (2.0 * eps - y) / (eps * eps) : 1.0; }
  /// Returns force(y) / y [1/m], which is finite at y = 0.
  double force_over_distance(double y) const { return y < eps ? (2.0 * eps - y) / (eps * eps) : 1.0 / y; }
  /// Returns d force / dy [1/m], which is never negative.
  double stiffness(double y) const { return y < eps ? 2.0 * (eps - y) / (eps * eps) : 0.0; }
};

/// Returns the coefficient of a contact that slides by y a step: static up to eps, kinetic from 2 eps, with the smooth
/// step between. It is lagged like the normal force. Inside the potential a force that falls with the speed would make
/// it non-convex, with a sliding minimum even where the static force can hold.
inline double coefficient(const FrictionCoefficients& mu, double y, double eps) {
  if (y <= eps) return mu.sticking;
  if (y >= 2.0 * eps) return mu.sliding;
  const double q = y / eps - 1.0;
  return mu.sticking + (mu.sliding - mu.sticking) * q * q * (3.0 - 2.0 * q);
}

}  // namespace clearance
