// Lagged friction [Fer23, sec. 2.5.5]: when it takes up the present normal forces and sliding directions, and how much
// of them.
#pragma once

#include "clearance/solver/direction_bound.h"

namespace clearance {

template <int dim>
class FrictionLag {
 public:
  FrictionLag(const StepInputs<dim>& in, StepProblem<dim>& problem, StepLog& log)
      : in_(in), problem_(problem), log_(log), agrees_(in.has_forces()) {}

  /// Lags friction at the start of a step. `near` must contain every pair that may be a contact there.
  void start(std::shared_ptr<const Candidates> candidates);
  /// Lags friction again after a lagged solve. False if the wanted number of lags is used up or no contact has
  /// friction.
  bool lag_again(NewtonState& at);
  /// Lags friction with the share `share` of the present normal forces and sliding directions. False under the same
  /// conditions as lag_again.
  bool take_up(Point& point, double share);
  /// Returns the friction that agrees with the present contact forces and sliding directions. It is valid until the
  /// next call. A step that ends asks twice for the friction of its last iterate.
  const FrictionPotential<dim>& fresh(const Iterate& iterate) const;

  /// Returns the friction that a step ending at `end` has balanced: the one that agrees with the contact forces there
  /// or, as published, the lagged one.
  const FrictionPotential<dim>& balanced(const Iterate& end) const {
    return agrees_ && problem_.has_friction() ? fresh(end) : problem_.friction();
  }

  /// True if the friction of the objective agrees with the present contact forces.
  bool is_fresh() const { return is_fresh_; }
  /// Records that the iterate has moved.
  void note_motion() { is_fresh_ = false; }
  /// True if friction has been lagged more often than FrictionOptions::max_iterations.
  bool is_over() const { return num_lags_ > in_.options.friction.max_iterations; }
  /// Number of lagged solves of the step; 0 without friction.
  int num_lags() const { return num_lags_; }
  /// Returns the imbalance with friction that agreed when it was lagged last.
  double imbalance() const { return imbalance_; }

  /// True if contact forces and friction should be solved for together (friction_coupling.h).
  bool wants_coupling() const;
  /// Records that a coupled direction succeeded; `is_whole` if all of it was taken.
  void note_coupling(bool is_whole);
  void note_failed_coupling();

 private:
  double share(double imbalance) const;

  const StepInputs<dim>& in_;
  StepProblem<dim>& problem_;
  StepLog& log_;
  bool agrees_;  // friction has to agree with the contact forces before the step ends
  int num_lags_ = 0;
  bool is_fresh_ = false;
  /// After failed coupled directions: number of lags before the next try, and the number after the next failure.
  int num_to_skip_ = 0, pause_ = 1;
  /// The imbalance with friction that agreed when it was lagged last, and that before the coupled direction that failed
  /// last.
  double imbalance_ = 0.0, failed_at_ = 0.0;
  /// The last result of `fresh`, and where and with which stiffness it was asked for.
  mutable std::optional<FrictionPotential<dim>> fresh_;
  mutable VecX fresh_at_;
  mutable double fresh_kappa_ = 0.0;
};

}  // namespace clearance
