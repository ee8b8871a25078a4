// Rotation of elements of linear elasticity, whose strains are those of small rotations.
#pragma once

namespace clearance {

/// Limit of the rotation [rad]: 10 degrees, at which an element that only rotates counts as compressed by 1.5 %.
inline constexpr double large_rotation_limit = 0.17453292519943295;

/// Rotation of the element that has rotated farthest since the start.
struct LargeRotation {
  double angle = 0.0;  ///< [rad]; 0 if no element is beyond the limit
  int body = -1;
};

}  // namespace clearance
