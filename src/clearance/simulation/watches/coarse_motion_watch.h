// Bodies that move by their own size or more in one step, past others. No step resolves what they hit, and how. The
// guarantee is that they do not pass *through* each other; Newton's method may lead one around the other.
#pragma once

#include <vector>

#include "clearance/model/model.h"
#include "clearance/simulation/watches/coarse_motion.h"

namespace clearance {

class CoarseMotionWatch {
 public:
  CoarseMotionWatch() = default;
  /// Measures the sizes of the bodies at the unknowns `x`.
  CoarseMotionWatch(const Model& model, const VecX& x);

  /// Predicts the motion in a step of `h` [s] from the velocities of a state. Returns the pair with the largest
  /// relative motion among those whose boxes meet on the way, that may touch, and that no joints connect. Below half of
  /// a body's size it returns nothing (share 0). If all velocities are small, it costs only a search for the largest
  /// one.
  CoarseMotion measure(const Model& model, const State& state, double h) const;

 private:
  std::vector<double> sizes_;     // [m] diagonal of the bounding box per body; 0 if the body has no surface
  double smallest_ = 0.0;         // [m]
  std::vector<int> some_vertex_;  // per body
};

/// Returns the largest turn of a stiff body from the unknowns x_t0 to x_t1. Of bodies that turn exactly if they are
/// free only what torques add counts. `dx_free` is the way of the unknowns in that time at the velocity of its start.
CoarseTurn find_coarse_turn(const Model& model, const VecX& x_t0, const VecX& dx_free, const VecX& x_t1);

}  // namespace clearance
