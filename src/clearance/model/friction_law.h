// Dry friction, smoothed below a small velocity [Fer23, sec. 2.5.3, app. A.8], as a function of the sliding distance y
// of a step: [Fer23, eq. 2.13 to 2.15] for a limit of 1.
#pragma once

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

}  // namespace clearance
