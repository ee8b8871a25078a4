// Elements of linear elasticity that turn: their strains are those of small rotations.
#pragma once

namespace clearance {

/// [rad] 10 degrees, where an element that only turns counts as compressed by 1.5 %.
inline constexpr double large_rotation_limit = 0.17453292519943295;

/// Of the element that has turned farthest since the start.
struct LargeRotation {
  double angle = 0.0;  ///< [rad]; 0: none is beyond the limit
  int body = -1;
};

}  // namespace clearance
