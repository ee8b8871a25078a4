#include "clearance/verify/distance.h"

#include <Eigen/Geometry>
#include <algorithm>

namespace clearance::verify {

double point_segment_gap_sq(const Vec<3>& p, const Vec<3>& a, const Vec<3>& b) {
  const Vec<3> u = b - a;
  const double length_sq = u.squaredNorm();
  const double t = length_sq > 0 ? std::clamp(u.dot(p - a) / length_sq, 0.0, 1.0) : 0.0;
  return (p - a - t * u).squaredNorm();
}

double segment_segment_gap_sq(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d) {
  // Closest points at an end of a segment; right for parallel and degenerate segments.
  double gap_sq = std::min({point_segment_gap_sq(a, c, d), point_segment_gap_sq(b, c, d), point_segment_gap_sq(c, a, b),
                            point_segment_gap_sq(d, a, b)});
  // Closest points inside both: the lines' common normal carries the gap.
  const Vec<3> u = b - a, v = d - c, w = c - a;
  const Vec<3> n = u.cross(v);
  const double n_sq = n.squaredNorm();
  if (n_sq > 0) {
    const double s = w.cross(v).dot(n) / n_sq, t = w.cross(u).dot(n) / n_sq;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) gap_sq = std::min(gap_sq, (a + s * u - c - t * v).squaredNorm());
  }
  return gap_sq;
}

double point_triangle_gap_sq(const Vec<3>& p, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2) {
  double gap_sq =
      std::min({point_segment_gap_sq(p, t0, t1), point_segment_gap_sq(p, t1, t2), point_segment_gap_sq(p, t2, t0)});
  // The foot of the perpendicular, when all three edges see it on their inner side.
  const Vec<3> n = (t1 - t0).cross(t2 - t0);
  const double n_sq = n.squaredNorm();
  const bool is_inside = n_sq > 0 && n.dot((t1 - t0).cross(p - t0)) >= 0 && n.dot((t2 - t1).cross(p - t1)) >= 0 &&
                         n.dot((t0 - t2).cross(p - t2)) >= 0;
  if (is_inside) {
    const double height = n.dot(p - t0);
    gap_sq = std::min(gap_sq, height * height / n_sq);
  }
  return gap_sq;
}

}  // namespace clearance::verify
