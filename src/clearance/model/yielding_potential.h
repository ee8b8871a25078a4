// Potentials of which some stay bent: at the end of each step their shape at rest follows what exceeds the yield, and
// the energy lost with that is plastic work. The accounts of energy take those alone as yielding that have yielding
// materials.
#pragma once

#include <memory>

#include "clearance/model/plastic_work.h"

namespace clearance {

/// Adds the plastic work to a potential with has_yield() and yield_work(x).
template <class Base>
class YieldingPotential : public Base, public PlasticWork {
 public:
  explicit YieldingPotential(const Base& base) : Base(base) {}
  std::unique_ptr<Potential> clone() const override { return std::make_unique<YieldingPotential>(*this); }
  double plastic_work(const VecX& x) const override { return Base::yield_work(x); }
};

/// Returns a copy of a potential that tells its plastic work if it may yield.
template <class Base>
std::shared_ptr<const Potential> with_plastic_work(const Base& base) {
  if (base.has_yield()) return std::make_shared<const YieldingPotential<Base>>(base);
  return std::make_shared<const Base>(base);
}

}  // namespace clearance
