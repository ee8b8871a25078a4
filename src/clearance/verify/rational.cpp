#include "clearance/verify/rational.h"

#include <algorithm>

namespace clearance::verify {

Rational exactly(const Vec<3>& x) {
  return {mpq_class(x[0]), mpq_class(x[1]), mpq_class(x[2])};
}

Rational minus(const Rational& a, const Rational& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

mpq_class dot(const Rational& a, const Rational& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Rational cross(const Rational& a, const Rational& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

mpq_class exact_gap_sq(const Rational& p, const Rational& a, const Rational& b) {
  const Rational u = minus(b, a), w = minus(p, a);
  const mpq_class along = dot(u, w), length_sq = dot(u, u);
  if (along <= 0) return dot(w, w);
  if (along >= length_sq) {
    const Rational end = minus(p, b);
    return dot(end, end);
  }
  return dot(w, w) - along * along / length_sq;
}

mpq_class exact_gap_sq(const Rational& p, const Rational& t0, const Rational& t1, const Rational& t2) {
  const Rational u = minus(t1, t0), v = minus(t2, t0), w = minus(p, t0), normal = cross(u, v);
  const mpq_class normal_sq = dot(normal, normal);
  if (normal_sq > 0) {
    // These are the barycentric coordinates of the foot, times normal_sq.
    const mpq_class b1 = dot(cross(w, v), normal), b2 = dot(cross(u, w), normal), height = dot(normal, w);
    if (b1 >= 0 && b2 >= 0 && b1 + b2 <= normal_sq) return height * height / normal_sq;
  }
  return std::min({exact_gap_sq(p, t0, t1), exact_gap_sq(p, t1, t2), exact_gap_sq(p, t2, t0)});
}

mpq_class exact_segments_gap_sq(const Rational& a, const Rational& b, const Rational& c, const Rational& d) {
  const Rational u = minus(b, a), v = minus(d, c), w = minus(c, a), normal = cross(u, v);
  const mpq_class normal_sq = dot(normal, normal);
  if (normal_sq > 0) {
    // Parameters of the points where the common perpendicular meets the two lines, times normal_sq.
    const mpq_class s = dot(cross(w, v), normal), t = dot(cross(w, u), normal), height = dot(normal, w);
    if (s >= 0 && s <= normal_sq && t >= 0 && t <= normal_sq) return height * height / normal_sq;
  }
  return std::min({exact_gap_sq(a, c, d), exact_gap_sq(b, c, d), exact_gap_sq(c, a, b), exact_gap_sq(d, a, b)});
}

}  // namespace clearance::verify
