// Answers questions about points in double precision exactly, for `clearance verify`. Nothing here is shared with the
// solver's checks: an error-bounded evaluation in double precision first, GMP integers where its sign is not certain.
// All coordinates must be finite.
#pragma once

#include "clearance/math/types.h"

namespace clearance::verify {

/// Returns the sign of (b-a) x (c-a) . (d-a): -1, 0 or 1.
int sign_of_volume(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d);

/// Returns the sign of the area of a, b, c seen along coordinate axis `dropped`; 2: counter-clockwise in the xy plane
/// is positive.
int sign_of_area(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, int dropped);

/// Returns the sign of normal . (x - point).
int sign_of_side(const Vec<3>& normal, const Vec<3>& point, const Vec<3>& x);

/// True if the closed segments ab and cd have a common point when seen along axis `dropped`. A segment may be a point.
bool planar_segments_touch(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d, int dropped);

/// True if the closed segments ab and cd have a common point in space. A segment may be a point.
bool segments_touch(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d);

/// True if the closed segment ab and the closed triangle have a common point. Both may be degenerate.
bool segment_touches_triangle(const Vec<3>& a, const Vec<3>& b, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2);

}  // namespace clearance::verify
