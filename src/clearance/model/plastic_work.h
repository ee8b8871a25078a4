// A potential whose energy contains the work of plastic flow in the step. The accounts of energy ask for it.
#pragma once

#include "clearance/model/potential.h"

namespace clearance {

/// Interface that a Potential with plastic flow has besides.
class PlasticWork {
 public:
  virtual ~PlasticWork() = default;
  /// Returns the part [J] of Potential::energy(x) that plastic flow takes out in a step that ends at x. The rest is
  /// stored. It is zero at the start of every step.
  virtual double plastic_work(const VecX& x) const = 0;
};

/// Returns the plastic work of a potential, or null if it has none.
inline const PlasticWork* plastic_work_of(const Potential& potential) {
  return dynamic_cast<const PlasticWork*>(&potential);
}

}  // namespace clearance
