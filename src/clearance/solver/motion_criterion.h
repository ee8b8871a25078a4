// The published criterion: a step has converged when a direction is short [Fer23, alg. 2.1].
#pragma once

#include "clearance/solver/convergence_criterion.h"

namespace clearance {

template <int dim>
class MotionCriterion final : public ConvergenceCriterion<dim> {
 public:
  using ConvergenceCriterion<dim>::ConvergenceCriterion;
  /// Judges the step by the length of the last direction. A step does not end on a detour, where the energy is above
  /// that at its start, nor where a contact keeps most of the direction from being taken: scenes with a tolerance above
  /// what gravity gains in a step would creep instead of falling.
  Verdict after_direction(NewtonState& now) override;
  double negligible_length() const override;

 private:
  using ConvergenceCriterion<dim>::parts_;

  bool is_first_of_lag_ = false;  // friction was lagged again since the last direction
};

}  // namespace clearance
