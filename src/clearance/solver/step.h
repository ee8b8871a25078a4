// One time step: the control flow of [Fer23, alg. 2.1], with the scripted motion of [Fer23, app. A.5] and the
// stiffness of [Fer23, app. A.6].
// `solve` is the whole course of it; the members are what it consists of.
#pragma once

#include "clearance/base/stop.h"
#include "clearance/solver/balance.h"
#include "clearance/solver/friction_coupling.h"
#include "clearance/solver/line_search.h"
#include "clearance/solver/newton_system.h"
#include "clearance/solver/rebound.h"
#include "clearance/solver/remaining_motion.h"
#include "clearance/solver/step_account.h"
#include "clearance/solver/target_pull.h"

namespace clearance {

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
  /// State of Newton's method at the end.
  const NewtonState& end_state() const { return now_; }

 private:
  enum class Verdict {
    go_on,  // to the next direction
    again,  // the objective has changed
    ended   // NewtonState::status says how
  };

  // step_start.cpp: up to the first direction
  bool begin_potentials();
  void start();
  void start_from(const VecX& x);
  void restart_where_hit();
  void mark_stopped(const VecX& x, std::vector<char>& is_hit) const;
  void open_account(std::shared_ptr<const Candidates> near);
  void start_from_inertia();

  // step_convergence.cpp: whether the step is done
  Verdict judge_direction();
  Verdict judge_forces();
  Verdict judge_friction(const BalanceVerdict& verdict, TermGradients& forces);
  TermGradients term_gradients();
  BalanceVerdict judge_balance(const TermGradients& forces);
  bool is_settled(const TermGradients& forces);
  bool is_settled(const VecX& dy, const std::vector<double>& negligible);
  Verdict end(StepStatus status);

  // step_end.cpp: what is reported and kept
  void finish();
  void check_exactly();
  void record();
  void record_linear_solves();
  void record_energies();
  StepForces collect_forces();
  std::vector<StickVertex> stick() const;

  void iterate(StopScope& scope);
  void refer_to_iterate();
  bool find_direction(VecX& dy);
  void follow(const VecX& dy);
  void log_iteration(const std::vector<Contact>& before);
  void choose_part(const VecX& dy);
  void set_part();

  StepInputs<dim> in_;
  StepLog log_;
  InertialTarget target_;
  StepProblem<dim> problem_;
  DirectionBound<dim> bound_;
  TargetPull<dim> pull_;
  FrictionLag<dim> friction_;
  FrictionCoupling<dim> coupling_;
  NewtonSystem<dim> newton_;
  MovingPart<dim> part_;
  LineSearch<dim> search_;
  Balance<dim> balance_;
  RemainingMotion<dim> remaining_;
  StepAccount<dim> account_;
  LinearSolverCounters counters_t0_;  // at the start of the step

  NewtonState now_;
  StepReport report_;                  // written by `record` and `commit`, read by nobody here
  bool is_rounding_known_ = false;     // a direction was taken although what is left may be rounding
  bool is_balanced_ = false;           // all that is left to judge is whether the next direction is small
  double least_remaining_ = infinity;  // MotionVerdict::share so far
  bool is_first_of_lag_ = false;       // friction was lagged again since the last direction
};

}  // namespace clearance
