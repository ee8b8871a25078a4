// One time step: solved from a state, and committed to it.
#pragma once

#include <memory>
#include <optional>

#include "clearance/contact/contact_model.h"
#include "clearance/solver/linear_system.h"
#include "clearance/solver/options.h"
#include "clearance/solver/prescribed.h"
#include "clearance/solver/report.h"
#include "clearance/solver/step_hooks.h"

namespace clearance {

template <int dim>
class Step;
template <int dim>
struct StepInputs;

/// Scratch memory that is kept from step to step only to save work. Discarding it never changes a bit of the result.
template <int dim>
class StepWorkspace {
 public:
  /// `model` and `options` must outlive the object.
  StepWorkspace(const Model& model, const SolverOptions& options);
  /// Uses `contact_model` instead of the formulation of the model.
  StepWorkspace(const Model& model, const SolverOptions& options,
                std::unique_ptr<const ContactModel<dim>> contact_model);
  ~StepWorkspace();
  StepWorkspace(StepWorkspace&&) noexcept;

  /// Returns the workspace's copy of potential `index` of the model, in the state of the step that was solved last.
  const Potential& potential(std::size_t index) const;

  /// Takes the activation distances of contact from the model and the options anew.
  void renew_contacts(const Model& model, const SolverOptions& options);

  /// Returns the inputs of a step that is solved in this workspace.
  StepInputs<dim> inputs(const Model& model, const SolverOptions& options, const PrescribedTargets& targets,
                         const State& state, const StepHooks& hooks);

 private:
  struct Impl;

  std::unique_ptr<Impl> impl_;
};

/// A step that is solved but not yet part of any state. Everything that it was solved with must outlive it, and the
/// workspace must solve nothing else before the step is committed or dropped.
template <int dim>
class SolvedStep {
 public:
  explicit SolvedStep(std::unique_ptr<Step<dim>> step);
  ~SolvedStep();
  SolvedStep(SolvedStep&&) noexcept;

  /// Report of the solve. Its accounts are empty until `commit` settles them.
  const StepReport& report() const;
  StepStatus status() const;
  /// Returns the unknowns [m] at the end.
  const VecX& x() const;
  /// Incremental potential at `x()`, times the factor that potentials have in it (InertialTarget::scale).
  const CompensatedSum& objective() const;
  /// Returns gradient and exact Hessian of the objective at `x()`, with friction as the step has lagged it. They are
  /// assembled by this call, in the workspace, and cost nothing otherwise.
  LinearSystem system();
  /// Returns the motion of Newton's unknowns, to first order, that a change of the forces [N, times the factor of
  /// potentials in the objective] causes at the end; nothing if the system is singular.
  std::optional<VecX> response(const VecX& force);
  /// Returns the unknowns [m] after the largest feasible part of a motion from the end.
  VecX moved(const VecX& dy);
  Step<dim>& step() { return *step_; }

 private:
  std::unique_ptr<Step<dim>> step_;
};

/// Solves the step that starts at `state`. On entry the positions must be free of intersections and inversions; at the
/// end they are too if the report says `is_advanced`. When StepHooks::is_stop_wanted returns true, the step ends as
/// `stopped`, wherever it is (base/stop.h), and may be solved again.
template <int dim>
SolvedStep<dim> solve(const Model& model, const SolverOptions& options, const PrescribedTargets& targets,
                      const State& state, StepWorkspace<dim>& workspace, const StepHooks& hooks = {});
/// Solves the same step from a nearby solution. `start` [m] must be free of intersections and inversions, with scripted
/// nodes at their targets.
template <int dim>
SolvedStep<dim> solve_from(const VecX& start, const Model& model, const SolverOptions& options,
                           const PrescribedTargets& targets, const State& state, StepWorkspace<dim>& workspace,
                           const StepHooks& hooks = {});

/// Solves the same step from the solution of nearly the same step, which also has nearly the same contact forces.
template <int dim>
SolvedStep<dim> solve_near(const VecX& solution, const Model& model, const SolverOptions& options,
                           const PrescribedTargets& targets, const State& state, StepWorkspace<dim>& workspace,
                           const StepHooks& hooks = {});

/// Advances `state`, which must be the state that the step was solved from, or leaves it untouched (see StepStatus).
template <int dim>
StepReport commit(SolvedStep<dim> solved, State& state);

/// Adds to the report of a step what is known only once the step is part of `state`: the kinetic energy and the times.
template <int dim>
void complete_report(const Model& model, const State& state, const Stopwatch& watch, StepReport& report);

/// Runs `solve`, `commit` and `complete_report`.
template <int dim>
StepReport advance(const Model& model, const SolverOptions& options, const PrescribedTargets& targets, State& state,
                   StepWorkspace<dim>& workspace, const StepHooks& hooks = {});

}  // namespace clearance
