// Bending of shells of which some stay bent. At the end of each step the angles at rest follow what exceeds the yield
// curvature; the energy lost with that is plastic work.
#pragma once

#include "clearance/bodies/shell/bending_potential.h"
#include "clearance/model/plastic_work.h"

namespace clearance {

class CreasePotential : public BendingPotential, public PlasticWork {
 public:
  using BendingPotential::BendingPotential;
  std::unique_ptr<Potential> clone() const override { return std::make_unique<CreasePotential>(*this); }
  double plastic_work(const VecX& x) const override { return yield_work(x); }
};

}  // namespace clearance
