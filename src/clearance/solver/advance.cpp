#include "clearance/solver/advance.h"

#include <algorithm>

#include "clearance/contact/make_contact_model.h"
#include "clearance/model/feasible_model.h"
#include "clearance/solver/step.h"

namespace clearance {

template <int dim>
struct StepWorkspace<dim>::Impl {
  Impl(const Model& model, const SolverOptions& options, WorkingCopies<dim> own)
      : copies(std::move(own)), system(model, options), broad_phase(make_broad_phase(dim, model.surface)) {}

  WorkingCopies<dim> copies;
  SystemMatrix<dim> system;
  std::unique_ptr<BroadPhase> broad_phase;
  EndOfStep last_end;
};

template <int dim>
StepWorkspace<dim>::StepWorkspace(const Model& model, const SolverOptions& options)
    : impl_(std::make_unique<Impl>(model, options,
                                   WorkingCopies<dim>(model, make_contact_model<dim>(model, options.barrier)))) {}
template <int dim>
StepWorkspace<dim>::StepWorkspace(const Model& model, const SolverOptions& options,
                                  std::unique_ptr<const ContactModel<dim>> contact_model)
    : impl_(std::make_unique<Impl>(model, options, WorkingCopies<dim>(model, std::move(contact_model)))) {}
template <int dim>
StepWorkspace<dim>::~StepWorkspace() = default;
template <int dim>
StepWorkspace<dim>::StepWorkspace(StepWorkspace&&) noexcept = default;
template <int dim>
StepInputs<dim> StepWorkspace<dim>::inputs(const Model& model, const SolverOptions& options,
                                           const PrescribedTargets& targets, const State& state,
                                           const StepHooks& hooks) {
  // After a step that was stopped within its loops, everything is built anew.
  if (impl_->last_end.is_cut_off) {
    impl_ = std::make_unique<Impl>(model, options, WorkingCopies<dim>(model, std::move(impl_->copies.contact_model)));
  }
  auto& [copies, system, broad_phase, last_end] = *impl_;
  return {model, options, targets, state, copies, system, *broad_phase, last_end, hooks};
}
template <int dim>
void StepWorkspace<dim>::renew_contacts(const Model& model, const SolverOptions& options) {
  impl_->copies.contact_model = make_contact_model<dim>(model, options.barrier);
  impl_->last_end = {};
}
template <int dim>
const Potential& StepWorkspace<dim>::potential(std::size_t index) const {
  return *impl_->copies.potentials[index];
}

template <int dim>
SolvedStep<dim>::SolvedStep(std::unique_ptr<Step<dim>> step) : step_(std::move(step)) {}
template <int dim>
SolvedStep<dim>::~SolvedStep() = default;
template <int dim>
SolvedStep<dim>::SolvedStep(SolvedStep&&) noexcept = default;
template <int dim>
const StepReport& SolvedStep<dim>::report() const {
  return step_->report();
}
template <int dim>
StepStatus SolvedStep<dim>::status() const {
  return step_->end_state().status;
}
template <int dim>
const VecX& SolvedStep<dim>::x() const {
  return step_->end_state().point.iterate.x;
}

template <int dim>
const CompensatedSum& SolvedStep<dim>::objective() const {
  return step_->end_state().point.energy;
}

template <int dim>
LinearSystem SolvedStep<dim>::system() {
  return step_->system_at_end();
}
template <int dim>
std::optional<VecX> SolvedStep<dim>::response(const VecX& force) {
  return step_->response(force);
}
template <int dim>
VecX SolvedStep<dim>::moved(const VecX& dy) {
  return step_->moved_from_end(dy);
}

template <int dim>
SolvedStep<dim> solve(const Model& model, const SolverOptions& options, const PrescribedTargets& targets,
                      const State& state, StepWorkspace<dim>& workspace, const StepHooks& hooks) {
  auto step = std::make_unique<Step<dim>>(workspace.inputs(model, options, targets, state, hooks));
  step->solve();
  return SolvedStep<dim>(std::move(step));
}

namespace {

template <int dim>
SolvedStep<dim> solve_from(const VecX& start, bool is_solution, StepInputs<dim> inputs) {
  inputs.start = &start;
  inputs.is_start_solution = is_solution;
  auto step = std::make_unique<Step<dim>>(inputs);
  step->solve();
  return SolvedStep<dim>(std::move(step));
}

}  // namespace

template <int dim>
SolvedStep<dim> solve_from(const VecX& start, const Model& model, const SolverOptions& options,
                           const PrescribedTargets& targets, const State& state, StepWorkspace<dim>& workspace,
                           const StepHooks& hooks) {
  return solve_from<dim>(start, false, workspace.inputs(model, options, targets, state, hooks));
}

template <int dim>
SolvedStep<dim> solve_near(const VecX& solution, const Model& model, const SolverOptions& options,
                           const PrescribedTargets& targets, const State& state, StepWorkspace<dim>& workspace,
                           const StepHooks& hooks) {
  return solve_from<dim>(solution, true, workspace.inputs(model, options, targets, state, hooks));
}

template <int dim>
StepReport commit(SolvedStep<dim> solved, State& state) {
  if (is_advanced(solved.status())) solved.step().commit(state);
  return solved.report();
}

template <int dim>
void complete_report(const Model& model, const State& state, const Stopwatch& watch, StepReport& report) {
  double kinetic = inertial_energy<dim>(model, state.v).value();
  for (std::size_t k = 0; k < model.potentials.size(); ++k) {
    if (const CoordinateInertia* rotors = coordinate_inertia_of(*model.potentials[k])) {
      kinetic += rotors->kinetic_energy(state.x, state.v, history_of(state, k));
    }
  }
  report.energy.insert(report.energy.begin(), {"kinetic", kinetic});
  report.total_seconds = watch.seconds();
  double staged = 0.0;
  for (Stage stage : {Stage::assembly, Stage::linear_solve, Stage::broad_phase, Stage::ccd, Stage::line_search}) {
    staged += report.profile[stage];
  }
  report.profile[Stage::other] = std::max(0.0, report.total_seconds - staged);
}

template <int dim>
StepReport advance(const Model& model, const SolverOptions& options, const PrescribedTargets& targets, State& state,
                   StepWorkspace<dim>& workspace, const StepHooks& hooks) {
  const Stopwatch watch;
  Step<dim> step(workspace.inputs(model, options, targets, state, hooks));
  step.solve();
  if (is_advanced(step.end_state().status)) step.commit(state);
  StepReport report = step.report();
  complete_report<dim>(model, state, watch, report);
  return report;
}

template class StepWorkspace<2>;
template class StepWorkspace<3>;
template class SolvedStep<2>;
template class SolvedStep<3>;
template SolvedStep<2> solve<2>(const Model&, const SolverOptions&, const PrescribedTargets&, const State&,
                                StepWorkspace<2>&, const StepHooks&);
template SolvedStep<3> solve<3>(const Model&, const SolverOptions&, const PrescribedTargets&, const State&,
                                StepWorkspace<3>&, const StepHooks&);
template SolvedStep<2> solve_from<2>(const VecX&, const Model&, const SolverOptions&, const PrescribedTargets&,
                                     const State&, StepWorkspace<2>&, const StepHooks&);
template SolvedStep<2> solve_near<2>(const VecX&, const Model&, const SolverOptions&, const PrescribedTargets&,
                                     const State&, StepWorkspace<2>&, const StepHooks&);
template StepReport commit<2>(SolvedStep<2>, State&);
template SolvedStep<3> solve_from<3>(const VecX&, const Model&, const SolverOptions&, const PrescribedTargets&,
                                     const State&, StepWorkspace<3>&, const StepHooks&);
template SolvedStep<3> solve_near<3>(const VecX&, const Model&, const SolverOptions&, const PrescribedTargets&,
                                     const State&, StepWorkspace<3>&, const StepHooks&);
template StepReport commit<3>(SolvedStep<3>, State&);
template void complete_report<2>(const Model&, const State&, const Stopwatch&, StepReport&);
template StepReport advance<2>(const Model&, const SolverOptions&, const PrescribedTargets&, State&, StepWorkspace<2>&,
                               const StepHooks&);
template void complete_report<3>(const Model&, const State&, const Stopwatch&, StepReport&);
template StepReport advance<3>(const Model&, const SolverOptions&, const PrescribedTargets&, State&, StepWorkspace<3>&,
                               const StepHooks&);

}  // namespace clearance
