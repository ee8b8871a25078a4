// Bound of how fast two primitives can approach: one bound for the whole motion, cheap enough for every candidate of a
// broad phase, four pairs at a time.
//
// Along a fixed unit vector n the smallest n . r_k over the corners r_k of the relative motion (relative_motion.h) is a
// lower bound of the distance at every time. Each n . r_k is linear in time, so that the smallest is concave and lies
// above the straight line between its values at t0 and t1:
//   distance(t) >= distance - t * motion,  with motion = min_k n . r_k(0) - min_k n . r_k(1) or 0 if that is negative.
// The best n at t0 points from the origin to the closest point of the corners' hull, which makes the bound exact there.
// The motion never exceeds the largest relative displacement, and sliding along each other does not count.
#pragma once

#include "clearance/math/small_matrix.h"

namespace clearance {

/// A pair is at least `distance` - t * `motion` apart, up to the rounding of the products (16 units of the corners'
/// size).
template <class T>
struct Approach {
  T distance;  ///< [m] at t0; 0 if rounding hides the direction (slivers, tiny gaps)
  T motion;    ///< [m] not negative
};

namespace detail {

template <class T>
using Point = SmallVector<T, 3>;

template <class T>
CLEARANCE_INLINE Point<T> difference(const Point<T>& a, const Point<T>& b) {
  return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}};
}
template <class T>
CLEARANCE_INLINE T inner(const Point<T>& a, const Point<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T>
CLEARANCE_INLINE Point<T> cross(const Point<T>& a, const Point<T>& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}
template <class T, class Mask>
CLEARANCE_INLINE Point<T> select_point(const Mask& mask, const Point<T>& a, const Point<T>& b) {
  return {{select(mask, a[0], b[0]), select(mask, a[1], b[1]), select(mask, a[2], b[2])}};
}
template <class T>
CLEARANCE_INLINE T smaller(const T& a, const T& b) {
  return select(a < b, a, b);
}
template <class T>
CLEARANCE_INLINE T larger(const T& a, const T& b) {
  return select(a > b, a, b);
}

/// The point of the segment from a to b that is closest to the origin; a if the two coincide.
template <class T>
CLEARANCE_INLINE Point<T> closest_of_segment(const Point<T>& a, const Point<T>& b) {
  const Point<T> e = difference(b, a);
  const T s = smaller(positive_part(-inner(a, e) / inner(e, e)), T(1.0));
  return {{a[0] + s * e[0], a[1] + s * e[1], a[2] + s * e[2]}};
}

}  // namespace detail

/// Corners of a point against a triangle (3) or of an edge against an edge (4, in the order of their outline), at t0
/// and t1. T is double or Lanes.
template <class T, int num_corners>
CLEARANCE_INLINE Approach<T> bound_approach(const SmallVector<T, 3> (&t0)[num_corners],
                                            const SmallVector<T, 3> (&t1)[num_corners]) {
  using namespace detail;
  // The face, if the origin projects into it: the normal keeps its digits where the closest point has lost them.
  Point<T> normal = cross(difference(t0[1], t0[0]), difference(t0[num_corners - 1], t0[0]));
  auto is_inside = inner(cross(t0[0], t0[1]), normal) > T(0.0);
#pragma GCC unroll 3
  for (int k = 1; k < num_corners; ++k) {
    is_inside = is_inside & (inner(cross(t0[k], t0[(k + 1) % num_corners]), normal) > T(0.0));
  }
  const T side = select(inner(normal, t0[0]) < T(0.0), T(-1.0), T(1.0));
#pragma GCC unroll 3
  for (int c = 0; c < 3; ++c) normal[c] *= side;

  // Otherwise the direction is that of the closest point of the outline.
  Point<T> closest = closest_of_segment(t0[0], t0[1]);
  T closest_sq = inner(closest, closest);
#pragma GCC unroll 3
  for (int k = 1; k < num_corners; ++k) {
    const Point<T> other = closest_of_segment(t0[k], t0[(k + 1) % num_corners]);
    const T other_sq = inner(other, other);
    closest = select_point(other_sq < closest_sq, other, closest);
    closest_sq = smaller(other_sq, closest_sq);
  }

  const Point<T> n = select_point(is_inside, normal, closest);
  T least_t0 = inner(n, t0[0]), largest_t0 = least_t0, least_t1 = inner(n, t1[0]);
#pragma GCC unroll 3
  for (int k = 1; k < num_corners; ++k) {
    const T at_t0 = inner(n, t0[k]), at_t1 = inner(n, t1[k]);
    least_t0 = smaller(at_t0, least_t0);
    largest_t0 = larger(at_t0, largest_t0);
    least_t1 = smaller(at_t1, least_t1);
  }
  // A direction is as good as it separates: all corners alike if it is the face's, else as far as the closest point is.
  const T wanted = T(0.999999) * select(is_inside, largest_t0, closest_sq);
  const T length = square_root(inner(n, n));
  const auto is_good = (least_t0 >= wanted) & (length > T(0.0));
  return {select(is_good, least_t0 / length, T(0.0)), positive_part((least_t0 - least_t1) / length)};
}

}  // namespace clearance
