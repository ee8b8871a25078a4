// One time step: solved from a state, and committed to it.
#pragma once

#include <functional>
#include <memory>

#include "clearance/contact/contact_model.h"
#include "clearance/solver/options.h"
#include "clearance/solver/prescribed.h"
#include "clearance/solver/report.h"

namespace clearance {

/// Scratch that lives from step to step only to save work: throwing it away never changes a bit of the result.
template <int dim>
class StepWorkspace {
 public:
  /// Both outlive the object.
  StepWorkspace(const Model& model, const SolverOptions& options);
  /// With another contact formulation than that of [Fer23, ch. 2].
  StepWorkspace(const Model& model, const SolverOptions& options,
                std::unique_ptr<const ContactModel<dim>> contact_model);
  ~StepWorkspace();
  StepWorkspace(StepWorkspace&&) noexcept;

  /// The copy of that potential of the model in the state of the step solved last.
  const Potential& potential(std::size_t index) const;

  struct Impl;
  Impl& impl() { return *impl_; }
  /// Makes everything anew: after a step that was stopped somewhere within its loops.
  void renew(const Model& model, const SolverOptions& options);

 private:
  std::unique_ptr<Impl> impl_;
};

/// Called after every Newton iteration with its number and |dx|_inf / h [m/s]; for progress display.
using IterationCallback = std::function<void(int, double)>;

template <int dim>
class Step;

/// A step that is solved and not yet part of any state. What it was solved with must outlive it, and the workspace
/// solves nothing else before it is committed or dropped.
template <int dim>
class SolvedStep {
 public:
  explicit SolvedStep(std::unique_ptr<Step<dim>> step);
  ~SolvedStep();
  SolvedStep(SolvedStep&&) noexcept;

  /// Of the solve; accounts are settled by commit.
  const StepReport& report() const;
  /// [m] Unknowns at the end.
  const VecX& x() const;
  /// The incremental potential there, times the factor that potentials have in it (InertialTarget::scale).
  const CompensatedSum& objective() const;
  Step<dim>& step() { return *step_; }

 private:
  std::unique_ptr<Step<dim>> step_;
};

/// Solves the step that starts at `state`. Where SolverOptions::is_stop_wanted says so it ends as `stopped`, wherever
/// it is (base/stop.h), and may be solved again. On entry the positions are free of intersections and inversions, and
/// at the end they are, wherever the report says `is_advanced`.
template <int dim>
SolvedStep<dim> solve(const Model& model, const SolverOptions& options, const PrescribedTargets& targets,
                      const State& state, StepWorkspace<dim>& workspace, const IterationCallback& on_iteration = {});
/// The same from another solution that is near: `start` [m] is free of intersections and inversions, and scripted nodes
/// are at their targets there.
template <int dim>
SolvedStep<dim> solve_from(const VecX& start, const Model& model, const SolverOptions& options,
                           const PrescribedTargets& targets, const State& state, StepWorkspace<dim>& workspace,
                           const IterationCallback& on_iteration = {});

/// Advances `state`, the one that the step was solved from, or leaves it untouched (see StepStatus).
template <int dim>
StepReport commit(SolvedStep<dim> solved, State& state);

/// Adds to the report of a step what was not known before it was part of `state`: the kinetic energy, and times.
template <int dim>
void complete_report(const Model& model, const State& state, const Stopwatch& watch, StepReport& report);

/// Both.
template <int dim>
StepReport advance(const Model& model, const SolverOptions& options, const PrescribedTargets& targets, State& state,
                   StepWorkspace<dim>& workspace, const IterationCallback& on_iteration = {});

}  // namespace clearance
