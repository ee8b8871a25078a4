#include "clearance/bodies/affine/torque_potential.h"

#include <Eigen/Geometry>

namespace clearance {

template <int dim>
void add_torque(const VecX& x, int first_block, double radius, const Vec<3>& torque, VecX& force) {
  const double factor = 1.0 / (2.0 * radius * radius);
  for (int b = first_block + 1; b <= first_block + dim; ++b) {
    if constexpr (dim == 2) {
      block<2>(force, b) += factor * torque[2] * Vec<2>(-x[2 * b + 1], x[2 * b]);
    } else {
      block<3>(force, b) += factor * torque.cross(Vec<3>(block<3>(x, b)));
    }
  }
}

template <int dim>
Result<Done> TorquePotential<dim>::begin_step(const VecX& x_t0, double h, double time_t1) {
  force_.setZero();
  Issues issues;
  for (const TorqueLoad& load : loads_) {
    const Result<Vec<3>> torque = load.torque(h, time_t1);
    if (torque) add_torque<dim>(x_t0, load.first_block, load.radius, *torque, force_);
    issues.insert(issues.end(), torque.issues().begin(), torque.issues().end());
  }
  if (issues.empty()) return Done{};
  force_.setZero();
  return issues;
}

template <int dim>
CompensatedSum TorquePotential<dim>::energy(const VecX& x) const {
  return ordered_sum(
      static_cast<int>(force_.size()), [&](int i) { return -force_[i] * x[i]; }, 4096);
}

template <int dim>
void TorquePotential<dim>::add_gradient(const VecX& /*x*/, double scale, VecX& gradient) const {
  gradient -= scale * force_;
}

template void add_torque<2>(const VecX&, int, double, const Vec<3>&, VecX&);
template void add_torque<3>(const VecX&, int, double, const Vec<3>&, VecX&);
template class TorquePotential<2>;
template class TorquePotential<3>;

}  // namespace clearance
