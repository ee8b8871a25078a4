// Proves that two primitives stay apart on their ways, for `clearance verify --paths`.
//
// Seen along a fixed direction, vertices on straight ways move linearly, so that a direction along which two convex
// sets are apart at two times separates them in between; directions that turn linearly do so if the coefficients of a
// polynomial of degree two say it. Intervals of time are halved until each has such a direction:
// in doubles with bounds of every rounding, and in integers where rounding hides the gap.
#pragma once

#include <span>

#include "clearance/verify/paths/path_points.h"

namespace clearance::verify {

enum class PathVerdict {
  proved,    ///< apart by more than the gap all the way
  violated,  ///< not so at a certain time, or the one goes through the other
  undecided  ///< neither is proved
};

struct PairVerdict {
  PathVerdict verdict = PathVerdict::undecided;
  double time = 0.0;         ///< in [0, 1], where it is not proved
  bool is_rational = false;  ///< true if doubles could not decide
};

/// The vertices of one primitive: a point, a segment (which may be a point) or a triangle.
using Corners = std::span<const int>;

/// Proves that a point and a triangle, or two segments, are more than `gap` [m] apart from their start to their end.
PairVerdict check_pair(const PathPoints& points, Corners first, Corners second, double gap);

}  // namespace clearance::verify
