#include "clearance/bodies/fem/load_potential.h"

namespace clearance {

Result<Done> LoadPotential::begin_step(const VecX& /*x_t0*/, double h, double time_t1) {
  force_.setZero();
  const Result<Done> begun = loads_(h, time_t1, force_);
  if (!begun) force_.setZero();
  return begun;
}

CompensatedSum LoadPotential::energy(const VecX& x) const {
  return ordered_sum(
      static_cast<int>(force_.size()), [&](int i) { return -force_[i] * x[i]; }, 4096);
}

void LoadPotential::add_gradient(const VecX& /*x*/, double scale, VecX& gradient) {
  gradient -= scale * force_;
}

}  // namespace clearance
