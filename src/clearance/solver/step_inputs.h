// Inputs of a step.
#pragma once

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/solver/options.h"
#include "clearance/solver/prescribed.h"
#include "clearance/solver/step_hooks.h"
#include "clearance/solver/system_matrix.h"
#include "clearance/solver/working_copies.h"

namespace clearance {

/// Surface and candidate pairs at the end of the last step, which is as a rule where the next one starts. A surface
/// that is at rest from there on need not be paired again. Written by Step::solve.
struct EndOfStep {
  VecX x_surface;  ///< [m]
  std::shared_ptr<const Candidates> candidates;
  bool is_cut_off = false;  ///< True if the step was stopped within its loops: what they were at is half done.
};

/// Inputs of a step. All of them must outlive the step.
template <int dim>
struct StepInputs {
  const Model& model;
  const SolverOptions& options;
  const PrescribedTargets& targets;
  const State& state;  ///< at the start
  WorkingCopies<dim>& copies;
  SystemMatrix<dim>& system;
  BroadPhase& broad_phase;
  EndOfStep& last_end;  ///< also set by the step
  StepHooks hooks = {};
  /// Start of Newton's method [m], feasible like the state and with scripted nodes at their targets. If null, the step
  /// looks for a start.
  const VecX* start = nullptr;
  /// True if `start` is the solution of nearly the same step: friction is lagged there as well, not only at the state.
  bool is_start_solution = false;

  const LocalCoordinates<dim>& coordinates() const { return system.coordinates(); }
  bool has_forces() const { return options.convergence == Convergence::forces; }
};

}  // namespace clearance
