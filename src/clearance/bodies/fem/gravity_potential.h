// Uniform gravity with the energy -sum over blocks of m g . x.
#pragma once

#include "clearance/model/potential.h"

namespace clearance {

template <int dim>
class GravityPotential : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<GravityPotential>(*this); }
  /// Takes the `mass` [kg] per block of unknowns and `gravity` [m/s^2].
  GravityPotential(const VecX& mass, const Vec<dim>& gravity);

  std::string name() const override { return "gravity"; }
  bool has_constant_force() const override { return true; }
  CompensatedSum energy(const VecX& x) const override;
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;

 private:
  VecX weight_;  // [N] m g, flat
};

extern template class GravityPotential<2>;
extern template class GravityPotential<3>;

}  // namespace clearance
