// Scripted nodes travel to their targets: as far as nothing is in their way, and else by the augmented Lagrangian of
// [Fer23, app. A.5].
#pragma once

#include "clearance/solver/target_response.h"

namespace clearance {

template <int dim>
class TargetPull {
 public:
  TargetPull(const StepInputs<dim>& in, StepProblem<dim>& problem, DirectionBound<dim>& bound,
             TargetResponse<dim>& response, StepLog& log)
      : in_(in), problem_(problem), bound_(bound), response_(response), log_(log) {}

  /// Returns the direction straight to the targets.
  Direction towards_targets(const Iterate& from);
  /// Moves the nodes along that direction until something would be hit or inverted. True if they arrive.
  bool move(const Direction& direction, Iterate& iterate);
  /// True once every node is where it should be; then they are fixed.
  bool has_arrived(Point& point);
  /// Leads the nodes to their targets, with all that hangs on them, or stiffens the pull. If the pull strains a stiff
  /// body, the nodes go back and are held there instead, since a body that keeps its shape does not give way. False if
  /// pulling has not brought the nodes nearer for a while: something holds them.
  bool pull_harder(Point& point);
  /// Lets the nodes go back and holds them there if the pull of this step has strained a stiff body. It is called when
  /// forces balance. False if no stiff body is strained or the nodes are held already.
  bool hold_if_straining(Point& point);
  /// Lets the nodes go back and holds them there once the pull has strained a stiff body at many iterates, even if
  /// forces do not balance.
  bool hold_if_strained_for_long(Point& point);
  /// True if the nodes do not reach their targets in this step because a stiff body is in their way.
  bool is_held() const { return is_held_; }

 private:
  bool lead(Point& point);
  bool strains_stiff_body(const VecX& x) const;
  void hold(Point& point);

  const StepInputs<dim>& in_;
  StepProblem<dim>& problem_;
  DirectionBound<dim>& bound_;
  TargetResponse<dim>& response_;
  StepLog& log_;
  double least_missing_ = 1.0;  // of the motion, at any pull so far
  int num_vain_pulls_ = 0;
  int num_strained_ = 0;  // iterates of this step
  // Unknowns at which the nodes strain no stiff body: those at the start or after the last pull.
  VecX x_unstrained_;
  std::shared_ptr<const Candidates> candidates_unstrained_;
  bool has_pulled_ = false, is_held_ = false;
};

}  // namespace clearance
