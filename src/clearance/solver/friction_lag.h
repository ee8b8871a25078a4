// Lagged friction [Fer23, sec. 2.5.5]: when it takes up the present normal forces and sliding directions, and how much
// of them.
#pragma once

#include "clearance/solver/direction_bound.h"

namespace clearance {

template <int dim>
class FrictionLag {
 public:
  FrictionLag(const StepInputs<dim>& in, StepProblem<dim>& problem, StepReport& report)
      : in_(in), problem_(problem), report_(report) {}

  /// At the start of a step; `near` hold all pairs that may be contacts there.
  void start(std::shared_ptr<const Candidates> near);
  /// After a lagged solve, for another one. False if the friction so far was the last of the wanted number, or nothing
  /// rubs.
  bool lag_again(Point& point);
  /// Takes up a share of the present normal forces and sliding directions; false likewise.
  bool take_up(Point& point, double share);
  /// Friction that agrees with the present contact forces and sliding directions.
  FrictionPotential<dim> fresh(const Iterate& iterate) const { return problem_.fresh_friction(iterate, in_.state.x); }

  /// The friction of the objective agrees with the present contact forces.
  bool is_fresh() const { return is_fresh_; }
  /// The iterate moves on.
  void note_motion() { is_fresh_ = false; }
  /// It has been lagged more often than is good.
  bool is_over() const { return report_.friction_iterations > in_.options.friction.max_iterations; }
  /// How stiff friction is along its sliding in the next Hessian, after an iteration.
  void choose_secant_share(const IterationReport& iteration);

  /// Is it worth trying to find contact forces and friction at once (friction_coupling.h)?
  bool wants_coupling() const;
  /// What became of a try.
  void note_coupling(bool is_whole);
  void note_failed_coupling();

 private:
  double share() const;

  const StepInputs<dim>& in_;
  StepProblem<dim>& problem_;
  StepReport& report_;
  bool is_fresh_ = false;
  /// After tries that failed: lags to come without one, and those after the next that fails.
  int num_to_skip_ = 0, pause_ = 1;
};

}  // namespace clearance
