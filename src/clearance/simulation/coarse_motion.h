// Bodies that move by their own size in one step.
#pragma once

namespace clearance {

/// Of the smaller body's size: what moves farther in a step may be led around another.
inline constexpr double coarse_motion_limit = 0.5;

/// Of the two bodies where it is most.
struct CoarseMotion {
  double share = 0.0;  ///< by how much of the smaller one's size they move relative to each other in the step
  int body = -1, other = -1;
};

}  // namespace clearance
