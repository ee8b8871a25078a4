// The criterion of forces: a step has converged when forces balance (balance.h), friction agrees with the contact
// forces, and the forces that are left would move no body noticeably (remaining_motion.h).
#pragma once

#include "clearance/solver/balance.h"
#include "clearance/solver/convergence_criterion.h"
#include "clearance/solver/remaining_motion.h"

namespace clearance {

template <int dim>
class ForceCriterion final : public ConvergenceCriterion<dim> {
 public:
  explicit ForceCriterion(const JudgedParts<dim>& parts);
  Verdict before_direction(NewtonState& now) override;
  Verdict at_direction(const VecX* dy, NewtonState& now) override;

 private:
  using ConvergenceCriterion<dim>::parts_;

  Verdict judge_pulled(const BalanceVerdict& verdict, NewtonState& now);
  Verdict judge_friction(const BalanceVerdict& verdict, TermGradients& forces, NewtonState& now);
  TermGradients term_gradients(const Iterate& iterate);
  BalanceVerdict judge_balance(const TermGradients& forces, NewtonState& now);
  bool is_rounding(const VecX& x, const VecX& gradient) const;
  bool is_cut_by_rounding(NewtonState& now);
  bool is_settled(const TermGradients& forces, const NewtonState& now);
  bool is_small(const VecX& x, const VecX& dy, const std::vector<double>& negligible);

  Balance<dim> balance_;
  RemainingMotion<dim> remaining_;
  bool is_rounding_known_ = false;     // a direction was taken although what is left may be rounding
  bool is_balanced_ = false;           // all that is left to judge is whether the next direction is small
  double least_remaining_ = infinity;  // MotionVerdict::share so far
  bool falls_ = true;                  // the share was less than before when it was judged last
};

}  // namespace clearance
