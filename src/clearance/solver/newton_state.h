// The state of Newton's method in a step: what its stages read and return.
#pragma once

#include <optional>
#include <string>

#include "clearance/solver/objective_terms.h"
#include "clearance/solver/report.h"
#include "clearance/solver/step_problem.h"
#include "clearance/solver/step_status.h"

namespace clearance {

/// An iterate and the objective there.
struct Point {
  Iterate iterate;
  CompensatedSum energy;
};

/// Returns the change of the objective as a difference of compensated sums, so that a decrease far below the energy
/// itself is still seen.
inline double change_of(const CompensatedSum& from, const CompensatedSum& to) {
  return (to.sum - from.sum) + (to.correction - from.correction);
}

/// How a direction was followed. Written by LineSearch::follow or FrictionCoupling::follow.
struct Followed {
  bool has_moved = false;    ///< False if the direction lowers the objective nowhere.
  double alpha = 0.0;        ///< fraction taken
  double alpha_limit = 1.0;  ///< largest feasible fraction; above 1 (to 64) where Newton reaches beyond the direction
  std::string limited_by;    ///< what set alpha_limit; empty if nothing
  int num_met = 0;           ///< pairs that the whole direction would meet; 0 if most of it is feasible
  std::string event;         ///< what was unusual; often empty
};

struct NewtonState {
  /// The present iterate. Written at the start of a step (step_start.cpp), by LineSearch and FrictionCoupling, and by
  /// TargetPull where scripted nodes arrive or go back. Whatever changes the objective evaluates the energy anew.
  Point point;

  // Written by Step::find_direction.
  int num_directions = 0;          ///< of everything
  int num_partial_directions = 0;  ///< of the part that still moves (moving_part.h)
  double residual = 0.0;           ///< [m/s] |dx|_inf / h of the last direction

  // Step::follow_coupled, Step::follow and Step::judge_direction write the next members.
  Followed last;          ///< how the last direction was followed; the default if there was none
  bool has_moved = true;  ///< False if the last direction, of everything, lowered the objective nowhere.
  int num_locked = 0;     ///< directions of everything in a row of which next to nothing was taken

  // ForceCriterion writes the next members.
  std::optional<double> imbalance;  ///< share of the forces at work that is left, where it is largest
  int imbalanced_body = -1;         ///< the body there
  /// Gradients of all terms at the last iterate, if the step has ended because they balance.
  std::optional<TermGradients> forces_at_end;

  // Step::leave_unstable_balance writes the next members.
  std::optional<FreeMotion> free_motion;
  std::optional<Instability> instability;  ///< of the first balance that was not stable
  int num_exits = 0;                       ///< such balances that were left

  // Written by the stage that ends the step.
  StepStatus status = StepStatus::iteration_limit;
  std::string failure;  ///< why the step failed; empty if that is clear from the status
};

}  // namespace clearance
