#include "clearance/ccd/quick_separation.h"

#include <cmath>
#include <limits>

#include "clearance/ccd/relative_motion.h"
#include "clearance/math/lanes.h"

namespace clearance {
namespace {

/// The corners of the relative motion (relative_motion.h), coordinate by coordinate; a triangle has its first twice.
struct Corners {
  Lanes x, y, z;
};

CLEARANCE_INLINE Corners corners_of(QueryKind kind, const std::array<Vec<3>, 4>& v) {
  const auto coordinate = [&](int c) {
    using Vector = Lanes::Vector;
    if (kind == QueryKind::point_triangle) {
      return Lanes(Vector{v[0][c], v[0][c], v[0][c], v[0][c]} - Vector{v[1][c], v[2][c], v[3][c], v[1][c]});
    }
    return Lanes(Vector{v[0][c], v[1][c], v[1][c], v[0][c]} - Vector{v[2][c], v[2][c], v[3][c], v[3][c]});
  };
  return {coordinate(0), coordinate(1), coordinate(2)};
}

/// Each sign as it is: with not-a-number among the lanes it is false.
CLEARANCE_INLINE bool all_above(const Lanes& a, const Lanes& b, double threshold) {
  return !any(!((a > Lanes(threshold)) & (b > Lanes(threshold))));
}

CLEARANCE_INLINE bool separates_along_axis(const Lanes& t0, const Lanes& t1, double threshold) {
  return all_above(t0, t1, threshold) || all_above(-t0, -t1, threshold);
}

CLEARANCE_INLINE Lanes inner(const Vec<3>& n, const Corners& r) {
  return Lanes(n[0]) * r.x + Lanes(n[1]) * r.y + Lanes(n[2]) * r.z;
}

CLEARANCE_INLINE Vec<3> corner(const Corners& r, int k) {
  return {r.x[k], r.y[k], r.z[k]};
}
CLEARANCE_INLINE Vec<3> cross(const Vec<3>& a, const Vec<3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
CLEARANCE_INLINE Vec<3> normal_of(QueryKind kind, const Corners& r) {
  const Vec<3> first = corner(r, 0);
  return cross(corner(r, 1) - first, corner(r, kind == QueryKind::point_triangle ? 2 : 3) - first);
}

}  // namespace

bool stays_apart(QueryKind kind, const PrimitiveMotion<3, 4>& motion, double separation) {
  const Corners t0 = corners_of(kind, motion.t0), t1 = corners_of(kind, motion.t1);
  // Not-a-number fails the comparison.
  Lanes largest(0.0);
  LaneMask is_small = largest < Lanes(1.0);
  for (const Corners& r : {t0, t1}) {
    for (const Lanes& x : {r.x, r.y, r.z}) {
      const Lanes magnitude = absolute(x);
      is_small = is_small & (magnitude < Lanes(0x1p300));
      largest = select(largest < magnitude, magnitude, largest);
    }
  }
  if (any(!is_small)) return false;

  // Along axes only the differences are rounded, to a relative 2^-53 of themselves.
  const double threshold = separation * (1.0 + 8.0 * unit_roundoff) + std::numeric_limits<double>::min();
  if (separates_along_axis(t0.x, t1.x, threshold) || separates_along_axis(t0.y, t1.y, threshold) ||
      separates_along_axis(t0.z, t1.z, threshold)) {
    return true;
  }
  // n . r: one rounding in r, one per product, two in the sums, |n . r| <= |n|_1 max |r|: below 5 units of that; 16
  // leave room for the rounding of the bound itself.
  const double size = std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
  const auto separates = [&](const Vec<3>& n) {
    const double length_1 = std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2]);
    const double rounding = 16.0 * unit_roundoff * length_1 * size + std::numeric_limits<double>::min();
    // |n| <= |n|_1
    return separates_along_axis(inner(n, t0), inner(n, t1), threshold * length_1 + rounding);
  };
  if (separates(normal_of(kind, t0))) return true;
  const auto sum = [](const Lanes& a) { return a[0] + a[1] + a[2] + a[3]; };
  return separates({sum(t0.x + t1.x), sum(t0.y + t1.y), sum(t0.z + t1.z)});
}

}  // namespace clearance
