// Coulomb's law of one contact with a coefficient that depends on the sliding speed.
#pragma once

#include "clearance/model/friction_law.h"
#include "clearance/model/friction_table.h"

namespace clearance {

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
