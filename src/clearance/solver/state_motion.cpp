#include "clearance/solver/state_motion.h"

#include "clearance/solver/free_turn.h"
#include "clearance/solver/rigid_rates.h"

namespace clearance {

namespace {

/// Sets the velocities of scripted nodes to the mean velocity of their step. By the formulas of Newmark and of a first
/// step a change of their speed would leave them swinging about it, and they would be let go with a wrong one.
template <int dim>
void set_scripted_velocities(const PrescribedTargets& targets, const VecX& x_t0, double h, State& state) {
  for (std::size_t k = 0; k < targets.blocks.size(); ++k) {
    for (int c = 0; c < dim; ++c) {
      if (!targets.has_component(k, c)) continue;
      const Eigen::Index i = dim * static_cast<Eigen::Index>(targets.blocks[k]) + c;
      state.v[i] = (state.x[i] - x_t0[i]) / h;
      if (state.a.size() > 0) state.a[i] = 0.0;
    }
  }
}

}  // namespace

template <int dim>
InertialTarget target_of(const Model& model, const IntegratorOptions& options, const State& state,
                         const std::optional<RestartMarks>& marks) {
  InertialTarget target = predict(options, state);
  if (marks) restart(options, state, model.body_of_block, *marks, target);
  if (has_free_turns(options.method)) set_free_targets<dim>(model, options, state, target);
  return target;
}

template <int dim>
void move_state(const Model& model, const IntegratorOptions& options, const PrescribedTargets& targets,
                const InertialTarget& target, const VecX& x_t1, State& state) {
  const VecX x_t0 = state.x;
  const bool is_first = state.step == 0;
  std::vector<Vec<3>> spins;
  if (has_free_turns(options.method)) spins = find_spins<dim>(model, options, state, target, x_t1);
  commit(options, target, x_t1, state);
  if (has_free_turns(options.method)) set_spins<dim>(model, options.h, x_t0, spins, state);
  if (options.method == TimeIntegrator::bdf2_in_flight && is_first) {
    set_scripted_velocities<dim>(targets, x_t0, options.h, state);
  }
  if (options.method == TimeIntegrator::implicit_newmark) {
    make_rates_rigid<dim>(model, state.x, state.v, state.a);
    set_scripted_velocities<dim>(targets, x_t0, options.h, state);
  }
}

template InertialTarget target_of<2>(const Model&, const IntegratorOptions&, const State&,
                                     const std::optional<RestartMarks>&);
template InertialTarget target_of<3>(const Model&, const IntegratorOptions&, const State&,
                                     const std::optional<RestartMarks>&);
template void move_state<2>(const Model&, const IntegratorOptions&, const PrescribedTargets&, const InertialTarget&,
                            const VecX&, State&);
template void move_state<3>(const Model&, const IntegratorOptions&, const PrescribedTargets&, const InertialTarget&,
                            const VecX&, State&);

}  // namespace clearance
