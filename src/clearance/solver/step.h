// One time step: the control flow of [Fer23, alg. 2.1], with the scripted motion of [Fer23, app. A.5] and the
// stiffness of [Fer23, app. A.6].
// `solve` is the whole course of it. Its stages read and return the NewtonState; whether it is done says a criterion
// (convergence_criterion.h).
#pragma once

#include <memory>
#include <optional>

#include "clearance/solver/convergence_criterion.h"
#include "clearance/solver/friction_coupling.h"
#include "clearance/solver/joint_correction.h"
#include "clearance/solver/linear_system.h"
#include "clearance/solver/rebound.h"
#include "clearance/solver/step_account.h"
#include "clearance/solver/unstable_balance.h"

namespace clearance {

/// Decisions of a step that its derivatives hold.
struct StepDecisions {
  std::optional<RestartMarks> marks;  ///< of restarted BDF2
  double kappa = 0.0;
  std::shared_ptr<const Candidates> candidates;  ///< pairs that may touch near the end
};

/// The exact Hessian at the end of a step, with the friction that agrees with the contact forces there.
struct EndHessian {
  BlockSparseMatrix whole;    ///< in the blocks of x, without contacts of fixed nodes
  BlockSparseMatrix reduced;  ///< in Newton's unknowns, if these are not displacements
  bool is_factorised = false;
};

template <int dim>
class Step {
 public:
  explicit Step(const StepInputs<dim>& in);
  Step(const Step&) = delete;

  /// Solves the step. A step that is stopped has only a status.
  void solve();
  /// Advances `state`, which must be the state that the step was solved from, to the end of the step and completes the
  /// report.
  void commit(State& state);

  /// Report of the solve, and of `commit` once that is done.
  const StepReport& report() const { return report_; }
  /// Returns the state of Newton's method at the end.
  const NewtonState& end_state() const { return now_; }
  /// Assembles gradient and exact Hessian of the objective at the end (SolvedStep::system).
  LinearSystem system_at_end();
  /// See SolvedStep.
  std::optional<VecX> response(const VecX& force);
  VecX moved_from_end(const VecX& dy);

  // step_nearby.cpp has what derivatives of a run need (step_tangent.h).
  /// Returns what a solved step has decided.
  StepDecisions decisions() const;
  /// Ends the step at `x` [m] instead of solving it, with the decisions of a step of nearly the same model and state
  /// that ended near `x`. It keeps no account of energies. False if something is not defined in this step.
  bool end_at(const StepDecisions& decisions, const VecX& x);
  /// Makes the system of the step ready, which `solve` does by itself, for factorise_at_end.
  void begin_system() { in_.system.begin_step(in_.state.x); }
  /// Makes forces refer to the end again, after gradients elsewhere.
  void refer_to_end() { problem_.refer_to(now_.point.iterate.x); }
  /// Holds prescribed nodes where they are at the end.
  void hold_prescribed();
  /// Moves the end of a solved step by `dy`, as far as that is feasible. Returns the part that was.
  double move_end(const VecX& dy);
  /// Returns the gradient of the objective at the end, with the friction that agrees with the contact forces there; in
  /// Newton's unknowns, zero in fixed ones.
  VecX gradient_at_end();
  /// Returns the sum of all gradients at `x` but those of contacts and their friction, in the blocks of x, those of
  /// held nodes included.
  VecX gradient_beside_contacts(const VecX& x);
  /// Returns that of the contacts, without friction.
  VecX contact_gradient(const VecX& x) const;
  const StepProblem<dim>& problem() const { return problem_; }
  const std::optional<RestartMarks>& marks() const { return marks_; }
  /// Returns the forces at the end, in newtons.
  StepForces forces_at_end();
  const StepInputs<dim>& inputs() const { return in_; }
  /// Factorises the Hessian at the end, the exact one if that is positive definite. False if no Hessian is.
  bool factorise_at_end(EndHessian* exact = nullptr);
  /// Solves with the factor of factorise_at_end. False if the solve fails.
  bool solve_at_end(const VecX& right_side, VecX& dy);

 private:
  std::unique_ptr<ConvergenceCriterion<dim>> make_criterion();
  // step_start.cpp has the stages up to the first direction.
  bool begin_potentials();
  void set_coordinate_targets();
  void start();
  bool move_together();
  void start_from(const VecX& x);
  void restart_where_hit();
  void restart_with(RestartMarks marks);
  void mark_stopped(const VecX& x, std::vector<char>& is_hit) const;
  bool begins_with_drive() const;
  void mark_led(RestartMarks& marks) const;
  void mark_flying(const std::vector<char>& is_near, std::vector<char>& is_flying) const;
  void open_account(std::shared_ptr<const Candidates> candidates);
  void start_from_inertia();
  void start_if_lower(const VecX& x_from, VecX x, const Direction& direction);
  void start_from_response();

  // step.cpp has the stages of an iteration.
  void find_balance();
  void check_stop() const;
  void refer_to_iterate();
  Verdict judge_iterate();
  Verdict find_direction(VecX& dy);
  bool follow_coupled(const VecX& dy);
  void follow(const VecX& dy, const Direction& feasible);
  Verdict judge_direction(const VecX& dy);
  bool is_carried_away();
  void choose_part(const VecX& dy);
  void set_part();
  IterationReport iteration_report() const;

  // step_end.cpp: what becomes of the balance, what is reported and kept
  bool leave_unstable_balance();
  void return_to_unstable_balance();
  void finish();
  void end_motion();
  void check_exactly();
  void assemble_at_end(HessianKind kind, VecX& gradient, BlockSparseMatrix* whole = nullptr);
  void record();
  void record_linear_solves();
  void record_energies();
  std::vector<StickVertex> stick() const;

  StepInputs<dim> in_;
  StepLog log_;
  InertialTarget target_;
  StepProblem<dim> problem_;
  DirectionBound<dim> bound_;
  NewtonSystem<dim> newton_;
  TargetResponse<dim> response_;
  TargetPull<dim> pull_;
  FrictionLag<dim> friction_;
  FrictionCoupling<dim> coupling_;
  JointCorrection<dim> correction_;
  MovingPart<dim> part_;
  LineSearch<dim> search_;
  std::unique_ptr<ConvergenceCriterion<dim>> criterion_;
  StepAccount<dim> account_;
  LinearSolverCounters counters_t0_;  // at the start of the step
  NewtonState now_;
  std::optional<NewtonState> unstable_;  // the first balance that was left
  std::optional<RestartMarks> marks_;    // of restarted BDF2
  StepReport report_;                    // written by `record` and `commit`; nothing here reads it
};

}  // namespace clearance
