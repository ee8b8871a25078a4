// Newton's method for contact forces and friction at once. Repeated lagging of friction is a fixed-point iteration,
// which converges slowly or not at all where friction loads the contacts that it comes from (wedges, jammed links).
// Near the solution the derivative of friction by normal forces, directions and points of the contacts is available.
// With A the factorised matrix and C that derivative, which is not symmetric, GMRES solves (A + C) dy = -g for the
// direction, preconditioned by A. It belongs to no objective, so that it is taken only if it lowers the imbalance with
// friction that agrees. Beyond a fold of the coupled problem, where no solution is near, it fails and lagging goes on.
#pragma once

#include "clearance/solver/friction_lag.h"

namespace clearance {

template <int dim>
class FrictionCoupling {
 public:
  FrictionCoupling(const StepInputs<dim>& in, StepProblem<dim>& problem, DirectionBound<dim>& bound,
                   FrictionLag<dim>& lag, StepLog& log)
      : in_(in), problem_(problem), bound_(bound), lag_(lag), log_(log), counters_t0_(in.system.solver().counters()) {}

  /// Moves `point` along the coupled direction and makes friction agree with the forces there. `gradient` and
  /// `lagged_dy` are those of the lagged problem. Moves nothing if no coupled direction can be computed, or if it leads
  /// no nearer to balance: if Newton's direction with the present matrix does not become shorter (the natural
  /// monotonicity test of Deuflhard).
  Followed follow(const VecX& lagged_dy, const VecX& gradient, Point& point);

 private:
  bool is_possible() const;
  VecX gradient_with(const Iterate& iterate, const FrictionPotential<dim>& friction) const;
  VecX friction_change(const Iterate& at, const VecX& d) const;
  VecX coupled(const Iterate& at, const VecX& dy) const;

  const StepInputs<dim>& in_;
  StepProblem<dim>& problem_;
  DirectionBound<dim>& bound_;
  FrictionLag<dim>& lag_;
  StepLog& log_;
  LinearSolverCounters counters_t0_;  // at the start of the step
};

}  // namespace clearance
