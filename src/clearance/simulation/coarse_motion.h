// Bodies that move by their own size, or turn far, in one step.
#pragma once

namespace clearance {

/// Of the smaller body's size: what moves farther in a step may be led around another.
inline constexpr double coarse_motion_limit = 0.5;

/// Of the two bodies where it is most.
struct CoarseMotion {
  double share = 0.0;  ///< by how much of the smaller one's size they move relative to each other in the step
  int body = -1, other = -1;
};

/// [rad] What turns farther in a step is slowed down by it: velocities are chords, not arcs.
inline constexpr double coarse_turn_limit = 0.5;

/// Of the stiff body that turned farthest.
struct CoarseTurn {
  double angle = 0.0;  ///< [rad] in the step; 0: none turned farther than the limit
  int body = -1;
};

}  // namespace clearance
