#include "clearance/ccd/quick_separation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "clearance/ccd/approach.h"
#include "clearance/ccd/relative_motion.h"
#include "clearance/math/lanes.h"

// Without AVX, GCC notes that 32-byte vectors are passed in memory; everything here is inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace clearance {
namespace {

using detail::larger;
using detail::smaller;

/// The corners of the relative motion (relative_motion.h) at one time, one per row: x, y, z and something finite; a
/// triangle has its first twice.
struct Corners {
  Lanes rows[4];
};

CLEARANCE_INLINE Corners corners_of(QueryKind kind, const std::array<Vec<3>, 4>& vertices) {
  const double* x = vertices[0].data();
  Lanes v[4];
  for (int k = 0; k < 3; ++k) std::memcpy(&v[k], x + 3 * k, sizeof(Lanes));
  // The load starts one number early and the lanes are rotated, since memory after the last vertex is not part of the
  // array.
  std::memcpy(&v[3], x + 8, sizeof(Lanes));
  v[3].v = __builtin_shufflevector(v[3].v, v[3].v, 1, 2, 3, 0);
  if (kind == QueryKind::point_triangle) return {{v[0] - v[1], v[0] - v[2], v[0] - v[3], v[0] - v[1]}};
  return {{v[0] - v[2], v[1] - v[2], v[1] - v[3], v[0] - v[3]}};
}

/// True if `condition` holds in one of the first three lanes.
CLEARANCE_INLINE bool any_coordinate(LaneMask condition) {
  return any_lane(condition & LaneMask{{-1, -1, -1, 0}});
}

/// Returns (a1 b2 - a2 b1, ...).
CLEARANCE_INLINE Lanes cross(const Lanes& a, const Lanes& b) {
  const auto next = [](const Lanes& c) { return Lanes(__builtin_shufflevector(c.v, c.v, 1, 2, 0, 3)); };
  return next(a * next(b) - next(a) * b);
}

/// The corners at one time, one per lane.
struct Heights {
  Lanes x, y, z;

  CLEARANCE_INLINE explicit Heights(const Corners& corners) { transpose(corners.rows, x, y, z); }
  CLEARANCE_INLINE Lanes along(const Lanes& n) const { return Lanes(n[0]) * x + Lanes(n[1]) * y + Lanes(n[2]) * z; }
};

/// n . r has one rounding in r, one per product and two in the sums, and |n . r| <= |n|_1 max |r|. The error is below 5
/// units of that; 16 leave room for the rounding of the bound itself. |n| <= |n|_1.
CLEARANCE_INLINE bool separates(const Lanes& n, const Heights& at_t0, const Heights& at_t1, double threshold,
                                double size) {
  const double length_1 = std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2]);
  const double rounding = 16.0 * unit_roundoff * length_1 * size + std::numeric_limits<double>::min();
  const Lanes bound(threshold * length_1 + rounding), h0 = at_t0.along(n), h1 = at_t1.along(n);
  return !any_lane(!(smaller(h0, h1) > bound)) || !any_lane(!(larger(h0, h1) < -bound));
}

}  // namespace

bool stays_apart(QueryKind kind, const PrimitiveMotion<3, 4>& motion, double separation) {
  const Corners t0 = corners_of(kind, motion.t0), t1 = corners_of(kind, motion.t1);
  Lanes least = smaller(t0.rows[0], t1.rows[0]), most = larger(t0.rows[0], t1.rows[0]), sum = t0.rows[0] + t1.rows[0];
#pragma GCC unroll 3
  for (int k = 1; k < 4; ++k) {
    least = smaller(least, smaller(t0.rows[k], t1.rows[k]));
    most = larger(most, larger(t0.rows[k], t1.rows[k]));
    sum += t0.rows[k] + t1.rows[k];
  }
  // This also returns false if a coordinate is not a number.
  const Lanes size_of = larger(-least, most);
  if (any_lane(!(absolute(sum) < Lanes(0x1p300))) || any_lane(!(size_of < Lanes(0x1p300)))) return false;

  // Along axes, rounding affects only the differences, to a relative 2^-53 of themselves.
  const double threshold = separation * (1.0 + 8.0 * unit_roundoff) + std::numeric_limits<double>::min();
  if (any_coordinate((least > Lanes(threshold)) | (most < Lanes(-threshold)))) return true;

  const double size = std::max({size_of[0], size_of[1], size_of[2]});
  const Heights at_t0(t0), at_t1(t1);
  const Lanes& first = t0.rows[0];
  const Lanes& last = kind == QueryKind::point_triangle ? t0.rows[2] : t0.rows[3];
  return separates(cross(t0.rows[1] - first, last - first), at_t0, at_t1, threshold, size) ||
         separates(sum, at_t0, at_t1, threshold, size);
}

}  // namespace clearance
