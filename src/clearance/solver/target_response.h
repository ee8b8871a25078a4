// The response of everything to prescribed nodes that move to their targets: where it would go if forces were linear in
// the motion. Alone, these nodes squash the elements that they hang on, and Newton needs many directions to spread
// that.
#pragma once

#include <optional>

#include "clearance/solver/direction_bound.h"
#include "clearance/solver/newton_system.h"

namespace clearance {

template <int dim>
class TargetResponse {
 public:
  TargetResponse(const StepInputs<dim>& in, StepProblem<dim>& problem, DirectionBound<dim>& bound,
                 NewtonSystem<dim>& newton)
      : in_(in), problem_(problem), bound_(bound), newton_(newton) {}

  /// True if elements hang on nodes that have to move by more than `negligible` [m] from x.
  bool is_wanted(const VecX& x, double negligible) const;
  /// Returns the direction from `from`, with the nodes at their targets at its end. Nothing if the matrix of the
  /// objective is singular. The nodes must be held.
  std::optional<Direction> direction(const Iterate& from);
  /// Moves everything until the nodes, which must be held, are at their targets. False, and nothing has moved, if
  /// something is in the way.
  bool follow(Iterate& iterate);

 private:
  const StepInputs<dim>& in_;
  StepProblem<dim>& problem_;
  DirectionBound<dim>& bound_;
  NewtonSystem<dim>& newton_;
};

extern template class TargetResponse<2>;
extern template class TargetResponse<3>;

}  // namespace clearance
