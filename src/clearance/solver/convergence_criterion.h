// When Newton's method ends a step. There are two criteria: forces, judged before a direction is solved for
// (force_criterion.h), and the published one, the length of a direction that was followed (motion_criterion.h).
#pragma once

#include "clearance/solver/friction_lag.h"
#include "clearance/solver/line_search.h"
#include "clearance/solver/newton_system.h"
#include "clearance/solver/target_pull.h"

namespace clearance {

/// Tells Newton's method what to do next.
enum class Verdict {
  go_on,  ///< with this iteration
  again,  ///< with the next iteration, since the objective has changed
  ended   ///< NewtonState::status says how
};

/// Helpers of a step that a criterion judges by, and acts on where the objective has to change first.
template <int dim>
struct JudgedParts {
  const StepInputs<dim>& in;
  StepProblem<dim>& problem;
  TargetPull<dim>& pull;
  FrictionLag<dim>& friction;
  NewtonSystem<dim>& newton;
  const LineSearch<dim>& search;
  StepLog& log;
};

template <int dim>
class ConvergenceCriterion {
 public:
  explicit ConvergenceCriterion(const JudgedParts<dim>& parts) : parts_(parts) {}
  virtual ~ConvergenceCriterion() = default;

  /// Judges the iterate before a direction is solved for. The assembled system may be that of the iterate before.
  virtual Verdict before_direction(NewtonState& /*now*/) { return Verdict::go_on; }
  /// Ends the step if only the length of the next direction was left to judge and `dy` is small. `dy` is null if the
  /// system has no solution.
  virtual Verdict at_direction(const VecX* /*dy*/, NewtonState& /*now*/) { return Verdict::go_on; }
  /// Judges the direction of everything that was followed last.
  virtual Verdict after_direction(NewtonState& /*now*/) { return Verdict::go_on; }
  /// Returns the length [m] of directions below which nothing moves noticeably.
  virtual double negligible_length() const { return 0.0; }

 protected:
  /// Ends the step, unless scripted nodes strain a stiff body: they are then held, and the step goes on.
  Verdict end(StepStatus status, NewtonState& now) const;

  JudgedParts<dim> parts_;
};

}  // namespace clearance
