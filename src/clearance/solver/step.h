// One time step: a class whose member functions are the lines of [Fer23, alg. 2.1]. advance.cpp has the
// course of a step, other files what it consists of.
#pragma once

#include "clearance/solver/advance.h"
#include "clearance/solver/balance.h"
#include "clearance/solver/rebound.h"
#include "clearance/solver/step_account.h"
#include "clearance/solver/step_problem.h"

namespace clearance {

/// Everything one step works with; its member functions are the lines of [Fer23, alg. 2.1].
template <int dim>
class Step {
 public:
  Step(const Model& model, const SolverOptions& options, const PrescribedTargets& targets, const State& state,
       SystemMatrix<dim>& system, BroadPhase& broad_phase)
      : model_(model),
        options_(options),
        targets_(targets),
        state_(state),
        system_(system),
        coordinates_(system.coordinates()),
        broad_phase_(broad_phase),
        target_(predict(options.integrator, state)),
        problem_(model, options, target_, targets, state),
        balance_(model, coordinates_),
        account_(model, coordinates_, target_, options.integrator.h),
        counters_t0_(system.solver().counters()) {}

  StepReport run(const IterationCallback& on_iteration);
  const Iterate& current() const { return current_; }
  const InertialTarget& target() const { return target_; }
  StepAccount<dim>& account() { return account_; }
  /// What contacts at the end remember of their sticking.
  std::vector<StickVertex> stick() const {
    return problem_.has_friction() ? problem_.fresh_friction(current_, state_.x).stick(current_.x_surface)
                                   : std::vector<StickVertex>{};
  }
  /// How stiff bodies rebound from what they hit in this step.
  Rebound<dim> rebound() const { return {model_, options_, targets_, state_, problem_.x_surface_t0(), current_}; }

 private:
  struct Direction {
    VecX dy;                   // in local coordinates about the current iterate
    double alpha_limit = 1.0;  // largest feasible fraction of dy
    Candidates candidates;     // all pairs that may be contacts on the feasible part
  };

  void restart_where_hit();
  void start_from_inertia();
  void assemble();
  void open_account(const Direction& direction_of_targets);
  void finish();
  StepForces collect_forces();

  // step_convergence.cpp: whether the step is done
  enum class Verdict {
    go_on,  // to the next direction
    again,  // the objective has changed
    ended   // report_.status says how
  };
  Verdict judge_direction(bool has_moved);
  Verdict judge_forces(bool has_moved);
  BalanceVerdict balance_with(const FrictionPotential<dim>& friction);
  Verdict end(StepStatus status);

  // step_targets.cpp: scripted nodes
  Direction towards_targets();
  bool move_prescribed(const Direction& direction);
  bool has_reached_targets();
  bool pull_harder();

  // step_friction.cpp
  void start_friction(const Direction& direction);
  double lag_share() const;
  bool take_up_friction(double share);
  bool lag_again();
  void choose_secant_share();

  // step_coupling.cpp: forces and friction at once
  bool wants_coupling() const {
    return has_forces() && options_.friction.iterations == 0 && coupling_.num_to_skip == 0 &&
           report_.friction_iterations <= options_.friction.max_iterations;
  }
  bool can_couple() const;
  VecX reduce_free(const VecX& x, const VecX& gradient) const;
  VecX gradient_with(const Iterate& iterate, const FrictionPotential<dim>& friction) const;
  VecX friction_change(const VecX& d) const;
  VecX coupled(const VecX& dy);
  bool follow_coupled(const VecX& lagged_dy);

  // step_directions.cpp: where to, and how far that is feasible
  bool solve_direction(VecX& dy);
  bool solve_exact_direction(VecX& dy);
  bool has_forces() const { return options_.convergence == Convergence::forces; }
  double length(const VecX& dy) const;
  void shorten(VecX& dy) const;
  double choose_reach();
  void measure_reach();
  bool bend(VecX& dy) const;
  void bound_bent(Direction& direction);
  void bound_direction(Direction& direction);
  void sweep(Direction& direction, double part);

  // step_search.cpp: how far that lowers the energy
  bool follow(const VecX& dy);
  bool is_decrease_hidden(const Iterate& trial, const VecX& dy, double change) const;
  bool search_line(const Direction& direction);
  bool take_detour(const Direction& direction);
  bool follow_detour(bool has_moved);

  const Model& model_;
  const SolverOptions& options_;
  const PrescribedTargets& targets_;
  const State& state_;
  SystemMatrix<dim>& system_;
  const LocalCoordinates<dim>& coordinates_;
  BroadPhase& broad_phase_;
  InertialTarget target_;
  StepProblem<dim> problem_;
  Balance<dim> balance_;
  StepAccount<dim> account_;
  Iterate current_;
  CompensatedSum current_energy_;
  VecX gradient_;
  VecX stiffness_;                 // largest entry of the diagonal blocks assembled last, for `balance_`
  bool is_exact_ = false;          // the Hessian assembled last is not projected
  double exact_limit_ = infinity;  // no exact Hessian before the imbalance is below: after one that was indefinite
  /// The last direction: how many times its length was tried, what of it was taken, imbalance and length before it.
  struct Reach {
    double tried = 1.0, taken = 0.0, imbalance = 0.0, residual = 0.0;
  } reach_;
  bool is_rounding_known_ = false;  // a direction was taken although what is left may be rounding
  bool wants_exact_ = false;        // near the solution: the next one is to be
  bool is_first_of_lag_ = false;    // friction was lagged again since the last direction
  bool is_friction_fresh_ = false;  // the friction of the objective agrees with the present contact forces
  /// After coupled directions that failed: lags to come without one, and those after the next that fails.
  struct Coupling {
    int num_to_skip = 0, pause = 1;
  } coupling_;
  LinearSolverCounters counters_t0_;  // at the start of the step
  IterationReport iteration_;         // the one under way
  double least_missing_ = 1.0;        // of the scripted motion, at any pull so far
  int num_vain_pulls_ = 0;
  double feasible_length_ = 0.0;  // [m] of the direction bounded last
  /// Where a detour started, and what is searched if it leads nowhere.
  struct Detour {
    Iterate start;
    VecX gradient;
    Direction direction;
    int length = 0;  // iterations so far; 0: none under way
    bool is_allowed = true;
    bool is_wanted = false;  // the last line search cut its direction to pieces
  } detour_;
  StepReport report_;
};

}  // namespace clearance
