// The outcome of a step as data, for whoever reads it later. The solver writes it at the end of a step, in
// Step::record, Step::commit (step_end.cpp) and complete_report (advance.cpp), and never reads it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clearance/base/profile.h"
#include "clearance/math/types.h"
#include "clearance/solver/energy_account.h"
#include "clearance/solver/step_forces.h"
#include "clearance/solver/step_status.h"

namespace clearance {

/// Counts of the work of a step.
struct StepCounters {
  long candidates = 0;  ///< pairs from the broad phase, summed over Newton iterations
  long ccd_calls = 0;   ///< pairs that the displacement bound could not dismiss
  int energy_evaluations = 0;
  int orderings = 0;  ///< fill-reducing orders of the matrix computed
  int analyses = 0;   ///< symbolic factorisations, made when the pattern changes
  int factorizations = 0;
  int linear_iterations = 0;  ///< of the iterative solver
};

/// [s] Parts of the stage linear_solve.
struct LinearSolveSeconds {
  double analyze = 0.0;
  double factorize = 0.0;
  double substitute = 0.0;
};

/// Record of one Newton iteration, for the report of a slow step.
struct IterationReport {
  double residual = 0.0;   ///< [m/s] |dx|_inf / h of the direction
  double imbalance = 0.0;  ///< StepReport::imbalance where it was last judged before the iteration
  bool is_exact = false;   ///< the direction is that of the exact Hessian
  double alpha_limit =
      1.0;  ///< largest feasible fraction of the direction; above 1 (to 64) where Newton reaches beyond it
  std::string limited_by;             ///< what set alpha_limit; empty if nothing
  double alpha = 0.0;                 ///< fraction taken; 0 if the objective fell nowhere
  int num_moving = 0;                 ///< blocks of the part that the direction moves; 0: everything
  int num_contacts = 0;               ///< after the iteration
  int num_entered = 0, num_left = 0;  ///< contacts that were none before the iteration, and that are none after it
  int num_met = 0;                    ///< pairs that the whole direction would meet; 0 if most of it is feasible
  int num_foretold = 0;               ///< contacts that are expected to bear much more than they do
  double min_distance = infinity;     ///< [m] after the iteration
  std::string event;  ///< what changed the problem: stiffer barrier, friction lagged again, ...; often empty
};

/// Record of remeshing within a step [Fer23, ch. 6]. A loss is the old value minus the new one, where the state moves
/// from the old elements to the new ones.
struct RemeshReport {
  int num_elements = 0, num_vertices = 0;  ///< of the scene, after the step
  int num_splits = 0, num_collapses = 0, num_swaps = 0, num_smoothings = 0;
  int num_rejected = 0;  ///< tried by a solve around them, and undone
  int num_unsafe = 0;    ///< refused before that: geometry, quality, limits
  double gain = 0.0;     ///< [J] what the incremental potential fell by, as the operations foretold
  double kinetic_loss = 0.0, elastic_loss = 0.0;  ///< [J]
  Vec<3> momentum_loss = Vec<3>::Zero();          ///< [kg m/s]
  Vec<3> angular_momentum_loss = Vec<3>::Zero();  ///< [kg m^2/s] about the origin
  double seconds = 0.0;
};

/// The pair of bodies whose contact force, or the deflection of one of them, is falsified most by the gap between them.
struct GapShare {
  double share = 0.0;                  ///< of the force, by which it would change without a gap; or of the deflection
  double gap = 0.0;                    ///< [m] smallest gap between them
  double force = 0.0;                  ///< [N] sum of the normal forces between them
  std::array<int, 2> bodies = {0, 0};  ///< -1 - half-space
  int deflected = -1;                  ///< the body whose deflection it is; -1: of the force
};

/// A balance of forces in a step without inertia that was not stable.
struct Instability {
  double quotient = 0.0;  ///< curvature of the objective along the motion, over that without the pressure that softens
  int body = -1;          ///< the body that moves farthest
  bool is_left = false;   ///< the step has gone on to a stable balance; else it has ended there
};

/// A motion that nothing resists, along which a step without inertia has moved a body.
struct FreeMotion {
  int body = -1;          ///< the body that moves farthest
  double distance = 0.0;  ///< [m] arbitrary
};

struct StepReport {
  StepStatus status = StepStatus::converged;
  int num_parts = 1;           ///< steps that it was taken in: as one it did not converge, or was not accurate
  int num_inaccurate = 0;      ///< of these: as short as allowed, and less accurate than asked
  double time_error = 0.0;     ///< largest error of a part, as a share of a body's momentum; with `time.accuracy`
  int newton_iterations = 0;   ///< directions of everything
  int partial_iterations = 0;  ///< those of the part that still moved, between them (solver/moving_part.h)
  int num_contacts = 0;
  double min_distance = infinity;  ///< [m] smallest distance at the end of the step; infinity if there is no contact
  double residual = 0.0;           ///< [m/s] |dx|_inf / h of the last direction
  double kappa = 0.0;
  double imbalance = 0.0;       ///< share of the forces at work that is left, of the body where it is largest
  int imbalanced_body = -1;     ///< that body
  int friction_iterations = 0;  ///< lagged solves; 0 without friction
  double friction_work = 0.0;   ///< [J] taken out by friction in this step
  std::vector<std::pair<std::string, double>> energy;  ///< [J] `kinetic` and one entry per potential, barrier included
  EnergyAccount account;
  MomentumAccount momentum;
  IntegratorShare gained, lost;
  std::optional<StepForces> forces;  ///< with StepHooks::keeps_forces
  std::string limited_by;            ///< what shortened the steps most: for the report of a slow step; may be empty
  double smallest_alpha = 1.0;       ///< smallest feasible step fraction in this step
  std::vector<IterationReport> iterations;
  /// The larger one of a force and of a deflection, and that of a force, of quasi-static steps with contact, where they
  /// were estimated.
  std::optional<GapShare> gap_share, force_gap_share;
  std::optional<Instability> instability;  ///< the first one of the step
  std::optional<FreeMotion> free_motion;   ///< at the end of the step
  std::optional<RemeshReport> remesh;      ///< with bodies whose elements adapt
  Profile profile;
  double total_seconds = 0.0;
  StepCounters counters;
  LinearSolveSeconds linear_seconds;

  bool is_advanced() const { return clearance::is_advanced(status); }
};

}  // namespace clearance
