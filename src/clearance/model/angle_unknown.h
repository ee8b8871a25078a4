// Angles of thin bodies among the unknowns, and directions that prescribed motions hold.
#pragma once

#include <functional>
#include <optional>

#include "clearance/math/types.h"

namespace clearance {

/// An angle that is stored as a length, so that all unknowns are metres and all forces newtons: the slope of a shell's
/// edge, or the twist of a rod's segment.
struct AngleUnknown {
  int block = -1;       ///< -1: there is none
  int component = 0;    ///< of the block
  double length = 1.0;  ///< [m] h, by which the angle is multiplied

  Eigen::Index place() const { return 3 * static_cast<Eigen::Index>(block) + component; }
};

/// The angle of a rod's segment, as the contacts of one of its two surface vertices see it.
struct SegmentTurn {
  int vertex = -1;      ///< of the surface map, behind the surface vertices: the block of the angle; -1: there is none
  int component = 0;    ///< of that block
  double length = 1.0;  ///< [m] AngleUnknown::length, of the sign of the direction from this vertex to the other
  int other = -1;       ///< the other surface vertex
};

/// A direction that is held and turns as a prescribed motion does: the normal of a shell's edges, or the director of a
/// rod's segments.
struct DirectionClamp {
  /// Returns the rotation since the start at the end of a step of length h; nothing while the direction is free.
  std::function<std::optional<Mat<3>>(double h, double time_t1)> rotation;
};

}  // namespace clearance
