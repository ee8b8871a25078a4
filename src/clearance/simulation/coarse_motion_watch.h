// Bodies that move by their own size or more in one step, past others: what they hit, and how, no step resolves. The
// guarantee is that they do not pass *through* each other; Newton may lead one around the other.
#pragma once

#include <vector>

#include "clearance/model/model.h"
#include "clearance/simulation/coarse_motion.h"

namespace clearance {

class CoarseMotionWatch {
 public:
  CoarseMotionWatch() = default;
  /// Sizes are those at `x`, the unknowns.
  CoarseMotionWatch(const Model& model, const VecX& x);

  /// What the velocities of a state mean for the step of `h` [s] from there on: the pair whose boxes meet on the way,
  /// of those that may touch and that no joints connect. Nothing (share 0) below half of a body's size; then it costs a
  /// look at the largest velocity.
  CoarseMotion look(const Model& model, const State& state, double h) const;

 private:
  std::vector<double> sizes_;     // [m] per body, of its bounding box; 0: it has no surface
  double smallest_ = 0.0;         // [m]
  std::vector<int> some_vertex_;  // per body
};

/// From the unknowns x_t0 to x_t1.
CoarseTurn find_coarse_turn(const Model& model, const VecX& x_t0, const VecX& x_t1);

}  // namespace clearance
