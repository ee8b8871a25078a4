// External forces that depend on time and not on the position of the body (dead loads), with the energy -sum over nodes
// of f . x.
#pragma once

#include <functional>

#include "clearance/model/potential.h"

namespace clearance {

/// Adds the loads at the end of a step to `force` [N], flat. Returns no value if one of them is undefined then.
using LoadFunction = std::function<Result<Done>(double h, double time_t1, VecX& force)>;

class LoadPotential : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<LoadPotential>(*this); }
  LoadPotential(int num_unknowns, LoadFunction loads) : loads_(std::move(loads)), force_(VecX::Zero(num_unknowns)) {}

  std::string name() const override { return "loads"; }
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  CompensatedSum energy(const VecX& x) const override;
  double load_energy(const VecX& x) const override { return energy(x).value(); }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;

 private:
  LoadFunction loads_;
  VecX force_;  // [N] of this step
};

}  // namespace clearance
