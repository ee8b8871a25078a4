#include "clearance/bodies/fem/gravity_potential.h"

namespace clearance {

template <int dim>
GravityPotential<dim>::GravityPotential(const VecX& mass, const Vec<dim>& gravity) : weight_(dim * mass.size()) {
  for (int b = 0; b < mass.size(); ++b) block<dim>(weight_, b) = mass[b] * gravity;
}

template <int dim>
CompensatedSum GravityPotential<dim>::energy(const VecX& x) const {
  return ordered_sum(
      static_cast<int>(weight_.size()), [&](int i) { return -weight_[i] * x[i]; }, 4096);
}

template <int dim>
void GravityPotential<dim>::add_gradient(const VecX& /*x*/, double scale, VecX& gradient) {
  gradient -= scale * weight_;
}

template class GravityPotential<2>;
template class GravityPotential<3>;

}  // namespace clearance
