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
    if (!torque) continue;
    const Mat<dim> b = columns<dim>(loads_[k], x_t0);
    const StepTorque<dim> of_step(b, loads_[k].radius, *torque);
    torques_[k] = {*torque, of_step, of_step, b, 0.0};
  }
  if (issues.empty()) return Done{};
  // If a torque is undefined, none acts.
  torques_.assign(loads_.size(), {});
  return issues;
}

template <int dim>
bool TorquePotential<dim>::refer_to(const VecX& x) {
  bool has_changed = false;
  for (std::size_t k = 0; k < loads_.size(); ++k) {
    Acting& acting = torques_[k];
    const Mat<dim> b = columns<dim>(loads_[k], x);
    if (dim == 2 || acting.torque.isZero(0.0) || b == acting.reference) continue;
    acting.reference = b;
    acting.energy = acting.of_step.energy(b);
    acting.of_reference = StepTorque<dim>(b, loads_[k].radius, acting.of_step.share(b) * acting.torque);
    has_changed = true;
  }
  return has_changed;
}

template <int dim>
CompensatedSum TorquePotential<dim>::energy(const VecX& x) const {
  return ordered_sum(
      static_cast<int>(loads_.size()),
      [&](int k) {
        const std::size_t load = k;
        return torques_[load].energy + torques_[load].of_reference.energy(columns<dim>(loads_[load], x));
      },
      64);
}

/// Adds the gradient serially, because several loads may turn one body.
template <int dim>
void TorquePotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  for (std::size_t k = 0; k < loads_.size(); ++k) {
    const Mat<dim> g = torques_[k].of_reference.gradient(columns<dim>(loads_[k], x));
    for (int i = 0; i < dim; ++i) block<dim>(gradient, loads_[k].first_block + 1 + i) += scale * g.col(i);
  }
}

template class TorquePotential<2>;
template class TorquePotential<3>;

}  // namespace clearance
