// Exact CCD in rational arithmetic by Sturm's theorem: the slow twin of the exact oracle (clearance/ccd/exact_ccd.h),
// with which it shares neither arithmetic nor mathematics.
//
// Primitives are given by their relative motion (ccd/relative_motion.h): corners r_k(t), each linear in t; contact is
// the origin in their convex hull. At a contact time the determinant f(t) = det(r0, r1 - r0, r2 - r0) is zero. Its
// roots are isolated by Sturm's theorem, and the signs that say "inside" are decided at the root itself: a polynomial q
// is zero at the root of p exactly if their greatest common divisor is. If f vanishes identically (coplanar motion),
// the origin can only enter through the outline, so the events are those of the segments between corners. Nothing is
// undecided.
#pragma once

#include <optional>
#include <vector>

#include "geometry/rational_geometry.h"

namespace clearance::rational {

/// Coefficients by ascending power, without leading zeros; empty is zero.
using Polynomial = std::vector<Number>;

/// An algebraic number: the only root of `polynomial` (square-free) in (low, high], or low itself if low = high.
struct Root {
  Polynomial polynomial;
  Number low, high;

  void refine();
  bool is_before(const Number& t);  ///< strictly; always terminates
};

struct RationalMotion {
  std::vector<Point> t0, t1;  ///< corners: 1 to 3, or the 4 of a parallelogram in the order of its outline

  std::vector<Point> at(const Number& t) const;
};

/// First time in [0, 1] at which the hull of the corners contains the origin.
std::optional<Root> find_first_contact(const RationalMotion& motion);

}  // namespace clearance::rational
