// The linear system of a Newton iteration: gradient and Hessian of the objective, and the direction that solves it.
#pragma once

#include <memory>
#include <vector>

#include "clearance/solver/moving_part.h"
#include "clearance/solver/newton_state.h"
#include "clearance/solver/step_inputs.h"
#include "clearance/solver/step_log.h"
#include "clearance/solver/step_problem.h"

namespace clearance {

template <int dim>
class NewtonSystem {
 public:
  NewtonSystem(const StepInputs<dim>& in, StepProblem<dim>& problem, StepLog& log)
      : in_(in), problem_(problem), log_(log) {}

  /// Assembles gradient and Hessian at `iterate`, with the wanted kind of Hessian, for the objective restricted to
  /// `part`.
  void assemble(const Iterate& iterate, const MovingPart<dim>& part);
  bool is_assembled() const { return gradient_.size() > 0; }
  bool is_exact() const { return is_exact_; }
  /// Returns the gradient in Newton's unknowns.
  const VecX& gradient() const { return gradient_; }
  /// Returns the largest entry of each diagonal block of the last system of all blocks.
  const VecX& stiffness() const { return stiffness_; }

  /// Makes the next Hessian the exact one if the iterate is near the solution. `imbalance` is the share of the forces
  /// that is left.
  void want_exact(bool is_near, double imbalance);
  /// Notes how the last direction of everything was followed.
  void note_followed(const Followed& followed);
  /// True if the assembled Hessian differs in kind from the wanted one.
  bool is_outdated() const { return is_exact_ != wants_exact_; }

  /// Computes dy = -H^-1 g at the assembled iterate, which is that of `at`, with everything outside `part` held. False
  /// if the system is singular even after shifts of its diagonal.
  bool solve(const NewtonState& at, const MovingPart<dim>& part, VecX& dy);
  /// True if the factor of the last direction of everything still belongs to the assembled system.
  bool has_factor() const { return has_factor_; }
  /// Computes dy = -H^-1 gradient with that factor. False if the solve fails.
  bool solve_again(const VecX& gradient, VecX& dy);
  /// Computes the motion dy that would balance all forces at `from` if they were linear, where the held nodes move by
  /// `moved` [m] (in x, zero elsewhere). dy leaves them out. False if the system is singular. Nothing stays assembled.
  bool respond(const Iterate& from, const VecX& moved, VecX& dy);
  /// True if some motion met no resistance, so that the last system of everything was shifted from the assembled one.
  bool is_shifted() const { return is_shifted_; }
  /// Returns the unknowns [m] of the last iterate at which a factorisation has shown that the exact Hessian of the
  /// objective is positive definite; empty if none has.
  const VecX& stable_at() const { return stable_at_; }
  /// Forgets what was learnt at earlier iterates: the present one is on the way out of an unstable balance.
  void start_anew();
  /// Returns the counters of the linear systems of parts.
  LinearSolverCounters part_counters() const {
    return part_solver_ ? part_solver_->counters() : LinearSolverCounters();
  }

 private:
  void put_exact_off();
  bool solve_exact(const NewtonState& at, VecX& dy);
  bool solve_between(const NewtonState& at, const MovingPart<dim>& part, VecX& dy);
  bool solve_projected(VecX& dy);
  bool solve_part(const std::vector<int>& blocks, VecX& dy);
  bool is_descent(const VecX& dy) const { return dy.allFinite() && gradient_.dot(dy) <= 0.0; }

  const StepInputs<dim>& in_;
  StepProblem<dim>& problem_;
  StepLog& log_;
  std::unique_ptr<LinearSolver> part_solver_;  // once it is needed
  VecX gradient_;
  VecX stiffness_;
  bool is_exact_ = false;  // the Hessian assembled last is not projected
  bool wants_exact_ = false;
  double imbalance_ = 0.0;  // of the last judgement
  bool has_factor_ = false, is_shifted_ = false;
  VecX stable_at_;
  bool leads_out_ = false;         // the iterates are on the way out of an unstable balance
  double share_ = 0.25;            // of the projected Hessian in the last sum with the exact one
  double exact_limit_ = infinity;  // no exact Hessian before the imbalance is below: after one that did not serve
};

}  // namespace clearance
