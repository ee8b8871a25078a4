// Coulomb's law of one contact, smoothed below a small velocity (eq. 2.13, app. A.8), as a function of the sliding
// distance y of a step.
//
// With eps = eps_v h, the friction force per normal force rises over 0 <= y <= eps to the static coefficient as in
// eq. 2.13. Where the kinetic coefficient is smaller, it falls to it over eps <= y <= 2 eps by the smooth step
// 3 q^2 - 2 q^3, q = y / eps - 1; the static coefficient is thus the force that a sticking contact can really bear.
#pragma once

#include "clearance/model/friction_table.h"

namespace clearance {

struct FrictionLaw {
  FrictionCoefficients mu;
  double eps = 0.0;  ///< [m] eps_v h

  /// Integral of `force` from 0 to y [m]: f_0 of eq. 2.15 times the coefficient, less a constant.
  double potential(double y) const;
  /// Friction force per normal force [1].
  double force(double y) const;
  /// force(y) / y [1/m], finite at y = 0.
  double force_over_distance(double y) const;
  /// d force / dy [1/m].
  double stiffness(double y) const;
};

}  // namespace clearance
