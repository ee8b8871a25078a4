// A potential whose energy resists gaps of joints. Directions of jointed bodies are corrected by it.
#pragma once

#include "clearance/model/potential.h"

namespace clearance {

/// Interface that a Potential of stiff joints has besides.
class JointGaps {
 public:
  virtual ~JointGaps() = default;
  /// Adds scale times the forces, as a gradient at `x_to`, of what gaps are there beyond those that a linear motion dx
  /// from `x_from` makes. Limits, drives' values and efforts have no part in it.
  virtual void add_excess(const VecX& x_from, const VecX& dx, const VecX& x_to, double scale, VecX& gradient) const = 0;
};

/// Returns the gaps of a potential, or null if it has none.
inline const JointGaps* joint_gaps_of(const Potential& potential) {
  return dynamic_cast<const JointGaps*>(&potential);
}

}  // namespace clearance
