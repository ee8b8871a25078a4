// What a step is given, and where Newton's method is.
#pragma once

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/solver/objective_terms.h"
#include "clearance/solver/options.h"
#include "clearance/solver/system_matrix.h"
#include "clearance/solver/working_copies.h"

namespace clearance {

/// Where the last step ended, as a rule where the next one starts: what rests from there on need not be paired again.
struct EndOfStep {
  VecX x_surface;  ///< [m]
  std::shared_ptr<const Candidates> near;
};

/// All of it outlives the step.
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
  /// [m] Where Newton starts, with scripted nodes at their targets, feasible like the state; null: it looks for a
  /// start.
  const VecX* start = nullptr;

  const LocalCoordinates<dim>& coordinates() const { return system.coordinates(); }
  bool has_forces() const { return options.convergence == Convergence::forces; }
};

/// An iterate and the objective there.
struct Point {
  Iterate iterate;
  CompensatedSum energy;
};

/// How much the objective differs, as a difference of compensated sums, so that a decrease far below the energy itself
/// is still seen.
inline double change_of(const CompensatedSum& from, const CompensatedSum& to) {
  return (to.sum - from.sum) + (to.correction - from.correction);
}

}  // namespace clearance
