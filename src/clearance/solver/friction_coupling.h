// Newton's method for contact forces and friction at once. Friction lagged again and again is a fixed-point iteration,
// which converges slowly or not at all where friction loads the contacts that it comes from (wedges, jammed links).
// Near the solution its derivative by normal forces, directions and points of the contacts is in reach: with A the
// factorised matrix and C that derivative, which is not symmetric, the direction solves (A + C) dy = -g by GMRES,
// preconditioned by A. No objective belongs to it, so that it is taken only if it lowers the imbalance with friction
// that agrees. Beyond a fold of the coupled problem, where no solution is near, it fails and lagging goes on.
#pragma once

#include "clearance/solver/friction_lag.h"

namespace clearance {

template <int dim>
class FrictionCoupling {
 public:
  FrictionCoupling(const StepInputs<dim>& in, StepProblem<dim>& problem, DirectionBound<dim>& bound,
                   FrictionLag<dim>& lag, StepReport& report)
      : in_(in),
        problem_(problem),
        bound_(bound),
        lag_(lag),
        report_(report),
        counters_t0_(in.system.solver().counters()) {}

  /// Goes along the coupled direction, with `gradient` and the direction `lagged_dy` of the lagged problem, and
  /// friction agrees with the forces there. False if it cannot, or if that brings them no nearer to balance: if what
  /// Newton with the present matrix would still have to go does not fall (the natural monotonicity test of Deuflhard).
  bool follow(const VecX& lagged_dy, const VecX& gradient, Point& point, IterationReport& iteration);

 private:
  bool is_possible() const;
  VecX gradient_with(const Iterate& iterate, const FrictionPotential<dim>& friction) const;
  VecX friction_change(const Iterate& at, const VecX& d) const;
  VecX coupled(const Iterate& at, const VecX& dy) const;

  const StepInputs<dim>& in_;
  StepProblem<dim>& problem_;
  DirectionBound<dim>& bound_;
  FrictionLag<dim>& lag_;
  StepReport& report_;
  LinearSolverCounters counters_t0_;  // at the start of the step
};

}  // namespace clearance
