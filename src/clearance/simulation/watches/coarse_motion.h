// Bodies that move by their own size or turn far in one step.
#pragma once

namespace clearance {

/// Limit as a share of the smaller body's size. A body that moves farther in one step may be led around another one.
inline constexpr double coarse_motion_limit = 0.5;

/// Motion of the two bodies whose relative motion in a step is the largest.
struct CoarseMotion {
  double share = 0.0;  ///< relative motion in the step, as a share of the smaller body's size
  int body = -1, other = -1;
};

/// Limit of a turn in one step [rad]. A body that turns farther is slowed down by it, because velocities are chords,
/// not arcs.
inline constexpr double coarse_turn_limit = 0.5;

/// Turn of the stiff body that turned farthest.
struct CoarseTurn {
  double angle = 0.0;  ///< [rad] in the step; 0 if none turned farther than the limit
  int body = -1;
};

}  // namespace clearance
