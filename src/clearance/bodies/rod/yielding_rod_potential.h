// Rods of which some stay bent. At the end of each step the curvatures at rest follow what exceeds the yield curvature;
// the energy lost with that is plastic work.
#pragma once

#include "clearance/bodies/rod/rod_potential.h"
#include "clearance/model/plastic_work.h"

namespace clearance {

class YieldingRodPotential : public RodPotential, public PlasticWork {
 public:
  using RodPotential::RodPotential;
  std::unique_ptr<Potential> clone() const override { return std::make_unique<YieldingRodPotential>(*this); }
  double plastic_work(const VecX& x) const override { return yield_work(x); }
};

}  // namespace clearance
