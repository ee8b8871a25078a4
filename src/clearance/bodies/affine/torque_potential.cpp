#include "clearance/bodies/affine/torque_potential.h"

#include <Eigen/Geometry>

namespace clearance {

template <int dim>
Vec<dim> turning_force(const Vec<dim>& b, double radius, const Vec<3>& torque) {
  const double factor = 1.0 / (2.0 * radius * radius);
  if constexpr (dim == 2) {
    return factor * torque[2] * Vec<2>(-b[1], b[0]);
  } else {
    return factor * torque.cross(b);
  }
}

template <int dim>
Result<Done> TorquePotential<dim>::begin_step(const VecX& x_t0, double h, double time_t1) {
  force_.setZero();
  Issues issues;
  for (const TorqueLoad& load : loads_) {
    const Result<Vec<3>> torque = load.torque(h, time_t1);
    for (int b = load.first_block + 1; torque && b <= load.first_block + dim; ++b) {
      block<dim>(force_, b) += turning_force<dim>(block<dim>(x_t0, b), load.radius, *torque);
    }
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
void TorquePotential<dim>::add_gradient(const VecX& /*x*/, double scale, VecX& gradient) {
  gradient -= scale * force_;
}

template Vec<2> turning_force<2>(const Vec<2>&, double, const Vec<3>&);
template Vec<3> turning_force<3>(const Vec<3>&, double, const Vec<3>&);
template class TorquePotential<2>;
template class TorquePotential<3>;

}  // namespace clearance
