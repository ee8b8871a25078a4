// How much of a direction is feasible: no surfaces meet, no element inverts, no joint passes its limits.
#pragma once

#include <memory>
#include <string>

#include "clearance/solver/report.h"
#include "clearance/solver/step_inputs.h"
#include "clearance/solver/step_problem.h"

namespace clearance {

/// A way from an iterate.
struct Direction {
  VecX dy;                                 ///< in Newton's unknowns about the iterate
  double alpha_limit = 1.0;                ///< largest feasible fraction of dy
  std::shared_ptr<const Candidates> near;  ///< hold all pairs that may be contacts on the feasible part
  std::string limited_by;                  ///< what set the limit; empty if nothing
  bool is_blocked = false;                 ///< contacts keep a good part of it from being taken
};

template <int dim>
class DirectionBound {
 public:
  /// Counts its work in `report`.
  DirectionBound(const StepInputs<dim>& in, const StepProblem<dim>& problem, StepReport& report);

  /// [m] How far any block starts to move.
  double length(const VecX& x, const VecX& dy) const;
  Direction bound(const Iterate& from, VecX dy);
  /// What contacts will have to bear, by the whole of the direction `dy` from the iterate that the matrix was assembled
  /// at, of which `bounded` is the feasible part.
  void foretell(const Iterate& from, const VecX& dy, const Direction& bounded, ContactForecast<dim>& forecast,
                IterationReport& iteration);
  /// Affine bodies turn without being stretched, where that costs nothing.
  Direction bound_bent(const Iterate& from, const VecX& gradient, const VecX& dy);

 private:
  bool bend(const Iterate& from, const VecX& gradient, VecX& dy) const;
  SweptCandidates pair_along(const Iterate& from, const VecX& dy, double part, SurfacePath& path);
  std::shared_ptr<const Candidates> pairs_at(const Iterate& at);
  bool sweep(const Iterate& from, double part, bool is_limited, Direction& direction);
  void note_limit(double alpha, const std::string& limited_by);

  const StepInputs<dim>& in_;
  const StepProblem<dim>& problem_;
  StepReport& report_;
  int num_blocked_ = 0;           // directions of the step
  double edge_length_ = 0.0;      // [m] of the surface, mean
  double feasible_length_ = 0.0;  // [m] of the direction bounded last
};

}  // namespace clearance
