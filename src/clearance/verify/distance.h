// Distances in double precision for `clearance verify`, by other formulas than the solver's: minima over candidates,
// each of which is the distance of two true points, so that rounding can only show in the last digits.
#pragma once

#include "clearance/math/types.h"

namespace clearance::verify {

/// Returns the squared gap [m^2] between a point and a segment.
double point_segment_gap_sq(const Vec<3>& p, const Vec<3>& a, const Vec<3>& b);
/// Returns the squared gap [m^2] between two segments that do not touch.
double segment_segment_gap_sq(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d);
/// Returns the squared gap [m^2] between a point and a triangle.
double point_triangle_gap_sq(const Vec<3>& p, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2);

}  // namespace clearance::verify
