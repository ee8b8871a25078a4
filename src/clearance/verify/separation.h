// Is a gap larger than the smallest one a scene allows? Exact answers about points given in double precision, for
// `clearance verify`; nothing here is shared with the solver's checks. All coordinates must be finite.
#pragma once

#include "clearance/math/types.h"

namespace clearance::verify {

/// True if every point of the triangle is farther than `gap` [m] from p. The triangle may be degenerate.
bool point_triangle_gap_exceeds(const Vec<3>& p, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2, double gap);

/// True if every point of segment ab is farther than `gap` [m] from every point of segment cd. A segment may be a
/// point.
bool segment_gap_exceeds(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d, double gap);

/// True if x is farther than `gap` [m] from the plane, on the side of the normal (of any length).
bool half_space_gap_exceeds(const Vec<3>& normal, const Vec<3>& point, const Vec<3>& x, double gap);

}  // namespace clearance::verify
