// Vectors and squared gaps in rational numbers, for `clearance verify`.
#pragma once

#include <gmpxx.h>

#include <array>

#include "clearance/math/types.h"

namespace clearance::verify {

using Rational = std::array<mpq_class, 3>;

Rational exactly(const Vec<3>& x);
Rational minus(const Rational& a, const Rational& b);
mpq_class dot(const Rational& a, const Rational& b);
Rational cross(const Rational& a, const Rational& b);

/// Returns the squared gap [m^2] between a point and a segment, which may be a point.
mpq_class exact_gap_sq(const Rational& p, const Rational& a, const Rational& b);
/// Returns the squared gap [m^2] between a point and a triangle.
mpq_class exact_gap_sq(const Rational& p, const Rational& t0, const Rational& t1, const Rational& t2);
/// Returns the squared gap [m^2] between two segments, which may be points. Segments of one plane that cross have one
/// above zero.
mpq_class exact_segments_gap_sq(const Rational& a, const Rational& b, const Rational& c, const Rational& d);

}  // namespace clearance::verify
