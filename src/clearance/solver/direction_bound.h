// How much of a direction is feasible: no surfaces meet, no element inverts, no joint passes its limits.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "clearance/solver/feasible_step.h"
#include "clearance/solver/newton_state.h"
#include "clearance/solver/remembered_pairs.h"
#include "clearance/solver/step_inputs.h"
#include "clearance/solver/step_log.h"
#include "clearance/solver/step_problem.h"

namespace clearance {

template <int dim>
class JointCorrection;

/// Search direction from an iterate, with its feasible part.
struct Direction {
  VecX dy;                                       ///< in Newton's unknowns about the iterate
  VecX linear;                                   ///< the direction that dy corrects; empty: none
  double share = 1.0;                            ///< part of `linear` that dy corrects; 1 if there is none
  bool follows_joints = false;                   ///< dy corrects `linear` for joints, too
  double alpha_limit = 1.0;                      ///< largest feasible fraction of dy
  std::shared_ptr<const Candidates> candidates;  ///< contain every pair that may be a contact on the feasible part
  std::string limited_by;                        ///< what set the limit; empty if nothing
  bool is_blocked = false;                       ///< True if contacts make more than a tenth of it infeasible
};

template <int dim>
class DirectionBound {
 public:
  /// Counts its work in `log`.
  DirectionBound(const StepInputs<dim>& in, const StepProblem<dim>& problem, StepLog& log);

  /// Returns the largest component [m] of the motion that `dy` starts.
  double length(const VecX& x, const VecX& dy) const;
  Direction bound(const Iterate& from, VecX dy);
  /// Updates `forecast` with the forces that contacts will have to bear, from the whole direction `dy` at the iterate
  /// where the matrix was assembled. `bounded` is the feasible part of `dy`. Returns the number of pairs that the whole
  /// direction would meet; 0 if most of it is feasible.
  int foretell(const Iterate& from, const VecX& dy, const Direction& bounded, ContactForecast<dim>& forecast);
  /// Bounds a direction along which affine bodies turn without being stretched. It stays straight if bending would lose
  /// more than half of its descent or leave less of it feasible.
  Direction feasible_direction(const Iterate& from, const VecX& gradient, const VecX& dy);
  /// Corrects directions for joints from here on.
  void correct_by(const JointCorrection<dim>& correction) { correction_ = &correction; }
  /// Bounds the part `share` of the linear direction that `direction` corrects, corrected anew. Nothing if that is not
  /// possible.
  std::optional<Direction> shortened(const Iterate& from, const VecX& gradient, const Direction& direction,
                                     double share);

 private:
  /// First part of a direction, with the pairs that come near each other on it.
  struct SweptPart {
    double share = 1.0;
    SurfacePath path;
    SweptCandidates candidates;
  };

  std::optional<Direction> corrected(const Iterate& from, const VecX& gradient, const VecX& linear, double share,
                                     bool follows_joints);
  std::optional<Direction> longest_corrected(const Iterate& from, const VecX& gradient, const VecX& dy,
                                             bool follows_joints);
  SweptCandidates pair_along(const Iterate& from, const VecX& dy, double part, SurfacePath& path);
  void limit_by_terms(const Iterate& from, Direction& direction);
  std::shared_ptr<const Candidates> pairs_at(const Iterate& at);
  std::optional<SweptPart> sweep(const Iterate& from, const VecX& dy, double part, bool is_limited);
  void keep(const SweptPart& swept, const FeasibleStep& feasible, Direction& direction);

  const StepInputs<dim>& in_;
  const StepProblem<dim>& problem_;
  StepLog& log_;
  const JointCorrection<dim>* correction_ = nullptr;
  bool has_affine_ = false;       // directions may stretch bodies
  int num_blocked_ = 0;           // directions of the step
  double edge_length_ = 0.0;      // [m] of the surface, mean
  double feasible_length_ = 0.0;  // [m] of the direction bounded last
  RememberedPairs<dim> remembered_;
};

}  // namespace clearance
