// Exact signs of the orientation determinants, which decide on which side of a line or plane a point lies.
//
// A floating-point filter decides almost all calls; the rest is computed with expansions, sums of doubles that
// represent the determinant without any rounding (J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and
// Fast Robust Geometric Predicates", 1997).
//
// The signs are exact if every non-zero coordinate has a magnitude in [2^-300, 2^300] (about 5e-91 to 2e90). Outside of
// this range products may underflow or overflow, and the sign is that of the rounded determinant; coordinates that are
// not finite give 0.
#pragma once

#include <array>

#include "clearance/math/types.h"

namespace clearance {

/// Returns the sign of (b - a) x (c - a): +1 if a, b, c turn counter-clockwise, -1 clockwise, 0 if collinear.
int orient2d(const Vec<2>& a, const Vec<2>& b, const Vec<2>& c);

/// Returns the sign of (b - a) x (c - a) . (d - a): +1 if the tetrahedron a b c d is positively oriented, 0 if
/// coplanar.
int orient3d(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d);
/// Returns the signs for two points, d0 and d1, in little more than the time of one.
std::array<int, 2> orient3d(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d0, const Vec<3>& d1);

}  // namespace clearance
