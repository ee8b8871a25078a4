// Forces with branches, such as those of a material that flows or does not, for derivatives of a run.
#pragma once

#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// Interface that a Potential has besides if its forces have different formulas on both sides of a limit that the end
/// of a step may lie on exactly: a point that has flowed begins the next step on its yield surface. How forces follow a
/// number, and how they follow the start of the step, then have a kink each, which cancel in the derivative of the run.
/// With the branches of the step held, both are smooth.
class HeldBranches {
 public:
  virtual ~HeldBranches() = default;
  /// Returns the branch of each point at x, in the step begun last.
  virtual std::vector<int> branches(const VecX& x) const = 0;
  /// Keeps points on these branches in gradients and at ends of steps, until set_history is called for another step.
  virtual void hold_branches(const std::vector<int>& branches) = 0;
};

}  // namespace clearance
