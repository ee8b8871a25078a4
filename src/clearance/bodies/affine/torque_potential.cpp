#include "clearance/bodies/affine/torque_potential.h"

namespace clearance {

namespace {

/// Returns the columns b_i.
template <int dim>
Mat<dim> columns(const TorqueLoad& load, const VecX& x) {
  return Eigen::Map<const Mat<dim>>(x.data() + dim * (static_cast<Eigen::Index>(load.first_block) + 1));
}

}  // namespace

template <int dim>
Result<Done> TorquePotential<dim>::begin_step(const VecX& x_t0, double h, double time_t1) {
  Issues issues;
  for (std::size_t k = 0; k < loads_.size(); ++k) {
    const Result<Vec<3>> torque = loads_[k].torque(h, time_t1);
    issues.insert(issues.end(), torque.issues().begin(), torque.issues().end());
    if (torque) torques_[k] = StepTorque<dim>(columns<dim>(loads_[k], x_t0), loads_[k].radius, *torque);
  }
  if (issues.empty()) return Done{};
  // If a torque is undefined, none acts.
  torques_.assign(loads_.size(), {});
  return issues;
}

template <int dim>
CompensatedSum TorquePotential<dim>::energy(const VecX& x) const {
  return ordered_sum(
      static_cast<int>(loads_.size()),
      [&](int k) {
        const std::size_t load = k;
        return torques_[load].energy(columns<dim>(loads_[load], x));
      },
      64);
}

/// Adds the gradient serially, because several loads may turn one body.
template <int dim>
void TorquePotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  for (std::size_t k = 0; k < loads_.size(); ++k) {
    const Mat<dim> g = torques_[k].gradient(columns<dim>(loads_[k], x));
    for (int i = 0; i < dim; ++i) block<dim>(gradient, loads_[k].first_block + 1 + i) += scale * g.col(i);
  }
}

template class TorquePotential<2>;
template class TorquePotential<3>;

}  // namespace clearance
