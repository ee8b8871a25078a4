// How much of a direction is feasible: no surfaces meet, no element inverts, no joint passes its limits.
#pragma once

#include <string>

#include "clearance/solver/report.h"
#include "clearance/solver/step_inputs.h"
#include "clearance/solver/step_problem.h"

namespace clearance {

/// A way from an iterate.
struct Direction {
  VecX dy;                   ///< in Newton's unknowns about the iterate
  double alpha_limit = 1.0;  ///< largest feasible fraction of dy
  Candidates candidates;     ///< all pairs that may be contacts on the feasible part
  std::string limited_by;    ///< what set the limit; empty if nothing
};

template <int dim>
class DirectionBound {
 public:
  /// Counts its work in `report`.
  DirectionBound(const StepInputs<dim>& in, const StepProblem<dim>& problem, StepReport& report);

  /// [m] How far any block starts to move.
  double length(const VecX& x, const VecX& dy) const;
  Direction bound(const Iterate& from, VecX dy);
  /// Affine bodies turn without being stretched, where that costs nothing.
  Direction bound_bent(const Iterate& from, const VecX& gradient, const VecX& dy);

 private:
  bool bend(const Iterate& from, const VecX& gradient, VecX& dy) const;
  void sweep(const Iterate& from, double part, Direction& direction);
  void note_limit(double alpha, const std::string& limited_by);

  const StepInputs<dim>& in_;
  const StepProblem<dim>& problem_;
  StepReport& report_;
  double feasible_length_ = 0.0;  // [m] of the direction bounded last
};

}  // namespace clearance
