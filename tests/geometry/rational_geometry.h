// Exact geometry in rational numbers (GMP): the slow twin of everything that claims to be exact.
//
// It shares no idea with the code under test: distances of convex hulls by exact projection onto every feature.
#pragma once

#include <gmpxx.h>

#include <array>
#include <cstddef>
#include <vector>

#include "clearance/math/types.h"

namespace clearance::rational {

using Number = mpq_class;

/// 2D points have z = 0.
struct Point {
  Number x, y, z;
  const Number& operator[](int k) const { return k == 0 ? x : (k == 1 ? y : z); }
};

template <int dim>
Point to_point(const Vec<dim>& v) {
  return {Number(v[0]), Number(v[1]), dim == 3 ? Number(v[dim - 1]) : Number(0)};
}

inline Point operator-(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Point operator+(const Point& a, const Point& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Point operator*(const Number& s, const Point& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
inline Number dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Squared distance of the origin to the segment a b.
inline Number segment_distance_sq(const Point& a, const Point& b) {
  const Point e = b - a;
  const Number length_sq = dot(e, e);
  if (length_sq == 0) return dot(a, a);
  const Number s = -dot(a, e) / length_sq;
  if (s <= 0) return dot(a, a);
  if (s >= 1) return dot(b, b);
  const Point q = a + s * e;
  return dot(q, q);
}

/// Returns the squared distance of the origin to the hull of coplanar points: the least over all triangles of three
/// points, each the least over its segments and, if the origin projects inside, its plane.
inline Number hull_distance_sq(const std::vector<Point>& points) {
  const std::size_t m = points.size();
  Number best = dot(points[0], points[0]);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = i + 1; j < m; ++j) {
      const Number edge = segment_distance_sq(points[i], points[j]);
      if (edge < best) best = edge;
      for (std::size_t k = j + 1; k < m; ++k) {
        const Point e1 = points[j] - points[i], e2 = points[k] - points[i], n = cross(e1, e2);
        const Number nn = dot(n, n);
        if (nn == 0) continue;
        const Point q = Number(-1) * points[i];
        const Number u = dot(cross(q, e2), n) / nn, v = dot(cross(e1, q), n) / nn;
        if (u < 0 || v < 0 || u + v > 1) continue;
        const Number height = dot(points[i], n);
        const Number plane = height * height / nn;
        if (plane < best) best = plane;
      }
    }
  }
  return best;
}

inline Number point_triangle_distance_sq(const Point& p, const Point& t0, const Point& t1, const Point& t2) {
  return hull_distance_sq({p - t0, p - t1, p - t2});
}
inline Number edge_edge_distance_sq(const Point& a0, const Point& a1, const Point& b0, const Point& b1) {
  return hull_distance_sq({a0 - b0, a0 - b1, a1 - b0, a1 - b1});
}

}  // namespace clearance::rational
