// Exact intersection tests of line segments and triangles.
//
// The primitives are closed sets: touching counts as intersecting, at vertices and edges as well. Degenerate input is
// valid: a segment of length zero is a point, a triangle without area is a segment or a point. The answers are exact
// within the coordinate range of math/predicates.h.
#pragma once

#include "clearance/math/types.h"

namespace clearance {

bool edge_intersects_triangle(const Vec<3>& e0, const Vec<3>& e1, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2);

bool edges_intersect(const Vec<2>& a0, const Vec<2>& a1, const Vec<2>& b0, const Vec<2>& b1);

bool edges_intersect(const Vec<3>& a0, const Vec<3>& a1, const Vec<3>& b0, const Vec<3>& b1);

bool point_in_triangle(const Vec<2>& p, const Vec<2>& t0, const Vec<2>& t1, const Vec<2>& t2);

}  // namespace clearance
