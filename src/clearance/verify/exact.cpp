#include "clearance/verify/exact.h"

#include <gmpxx.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace clearance::verify {
namespace {

// The bounds below assume that nothing underflows: the smallest product must stay far above 1e-308.
constexpr double smallest_trusted = 1e-150;
constexpr double largest_trusted = 1e100;

int sign(double value) {
  return value > 0 ? 1 : (value < 0 ? -1 : 0);
}

/// Returns the certain sign of a value computed with at most `bound` of error, or 2.
int certain_sign(double value, double permanent, double relative_error) {
  const bool is_trusted = permanent > smallest_trusted && permanent < largest_trusted;
  return is_trusted && std::abs(value) > relative_error * permanent ? sign(value) : 2;
}

/// Doubles as integers times one common power of two.
template <std::size_t count>
std::array<mpz_class, count> to_integers(const std::array<double, count>& values) {
  std::array<int, count> exponents{};
  std::array<mpz_class, count> integers;
  int smallest = 0;
  bool is_first = true;
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] == 0) continue;
    integers[i] = static_cast<std::int64_t>(std::ldexp(std::frexp(values[i], &exponents[i]), 53));
    smallest = is_first ? exponents[i] : std::min(smallest, exponents[i]);
    is_first = false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] != 0) integers[i] <<= static_cast<unsigned>(exponents[i] - smallest);
  }
  return integers;
}

int exact_sign_of_volume(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d) {
  auto v = to_integers<12>({a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], d[0], d[1], d[2]});
  for (int i = 3; i < 12; ++i) v[i] -= v[i % 3];
  const mpz_class det =
      v[3] * (v[7] * v[11] - v[8] * v[10]) - v[4] * (v[6] * v[11] - v[8] * v[9]) + v[5] * (v[6] * v[10] - v[7] * v[9]);
  return sgn(det);
}

int exact_sign_of_area(double ax, double ay, double bx, double by, double cx, double cy) {
  const auto v = to_integers<6>({ax, ay, bx, by, cx, cy});
  const mpz_class det = (v[2] - v[0]) * (v[5] - v[1]) - (v[3] - v[1]) * (v[4] - v[0]);
  return sgn(det);
}

bool ranges_touch(double a, double b, double c, double d) {
  return std::max(a, b) >= std::min(c, d) && std::max(c, d) >= std::min(a, b);
}

bool is_degenerate(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c) {
  return sign_of_area(a, b, c, 0) == 0 && sign_of_area(a, b, c, 1) == 0 && sign_of_area(a, b, c, 2) == 0;
}

/// True if the segment touches the triangle, both seen along axis `dropped`.
bool planar_segment_touches_triangle(const Vec<3>& a, const Vec<3>& b, const std::array<Vec<3>, 3>& t, int dropped) {
  for (int i = 0; i < 3; ++i) {
    if (planar_segments_touch(a, b, t[i], t[(i + 1) % 3], dropped)) return true;
  }
  // No edge is touched: the segment is inside as a whole or outside as a whole.
  const int s0 = sign_of_area(t[0], t[1], a, dropped);
  return s0 != 0 && s0 == sign_of_area(t[1], t[2], a, dropped) && s0 == sign_of_area(t[2], t[0], a, dropped);
}

}  // namespace

int sign_of_volume(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d) {
  const Vec<3> u = b - a, v = c - a, w = d - a;
  // Faces along an axis are common: their zero is exact and needs no big numbers.
  for (int k = 0; k < 3; ++k) {
    if (u[k] == 0 && v[k] == 0 && w[k] == 0) return 0;
  }
  const double yz = v[1] * w[2], zy = v[2] * w[1], xz = v[0] * w[2], zx = v[2] * w[0], xy = v[0] * w[1],
               yx = v[1] * w[0];
  const double det = u[0] * (yz - zy) - u[1] * (xz - zx) + u[2] * (xy - yx);
  const double permanent = std::abs(u[0]) * (std::abs(yz) + std::abs(zy)) +
                           std::abs(u[1]) * (std::abs(xz) + std::abs(zx)) +
                           std::abs(u[2]) * (std::abs(xy) + std::abs(yx));
  // [She97, sec. 4.3]: the error is below (7 + 56 eps) eps times the permanent, eps = 2^-53, that is 7.8e-16.
  const int certain = certain_sign(det, permanent, 1e-15);
  return certain == 2 ? exact_sign_of_volume(a, b, c, d) : certain;
}

int sign_of_area(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, int dropped) {
  const int x = (dropped + 1) % 3, y = (dropped + 2) % 3;
  const double left = (b[x] - a[x]) * (c[y] - a[y]), right = (b[y] - a[y]) * (c[x] - a[x]);
  // By [She97, sec. 4.3] the error is (3 + 16 eps) eps, that is 3.4e-16.
  const int certain = certain_sign(left - right, std::abs(left) + std::abs(right), 5e-16);
  return certain == 2 ? exact_sign_of_area(a[x], a[y], b[x], b[y], c[x], c[y]) : certain;
}

int sign_of_side(const Vec<3>& normal, const Vec<3>& point, const Vec<3>& x) {
  const Vec<3> d = x - point;
  const double permanent = normal.cwiseAbs().dot(d.cwiseAbs());
  // There is one rounding for the difference, one for the product and two for the sum: 4 eps to first order, 4.5e-16.
  const int certain = certain_sign(normal.dot(d), permanent, 1e-15);
  if (certain != 2) return certain;
  const auto n = to_integers<3>({normal[0], normal[1], normal[2]});
  const auto v = to_integers<6>({point[0], point[1], point[2], x[0], x[1], x[2]});
  const mpz_class side = n[0] * (v[3] - v[0]) + n[1] * (v[4] - v[1]) + n[2] * (v[5] - v[2]);
  return sgn(side);
}

bool planar_segments_touch(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d, int dropped) {
  const int x = (dropped + 1) % 3, y = (dropped + 2) % 3;
  // Overlapping boxes and mutual straddling: right for collinear segments and for points too.
  if (!ranges_touch(a[x], b[x], c[x], d[x]) || !ranges_touch(a[y], b[y], c[y], d[y])) return false;
  if (sign_of_area(a, b, c, dropped) * sign_of_area(a, b, d, dropped) > 0) return false;
  return sign_of_area(c, d, a, dropped) * sign_of_area(c, d, b, dropped) <= 0;
}

bool segments_touch(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d) {
  for (int k = 0; k < 3; ++k) {
    if (!ranges_touch(a[k], b[k], c[k], d[k])) return false;
  }
  if (sign_of_volume(a, b, c, d) != 0) return false;
  // The segments lie in one plane. A common point is common in every view, and at least one of the three views is one
  // to one.
  return planar_segments_touch(a, b, c, d, 0) && planar_segments_touch(a, b, c, d, 1) &&
         planar_segments_touch(a, b, c, d, 2);
}

bool segment_touches_triangle(const Vec<3>& a, const Vec<3>& b, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2) {
  const int side_a = sign_of_volume(t0, t1, t2, a), side_b = sign_of_volume(t0, t1, t2, b);
  if (side_a * side_b > 0) return false;
  if (side_a != 0 || side_b != 0) {
    // The line through ab meets the plane in one point of ab; it is inside if the line turns the same way about all
    // edges.
    const int s0 = sign_of_volume(a, b, t0, t1), s1 = sign_of_volume(a, b, t1, t2), s2 = sign_of_volume(a, b, t2, t0);
    return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
  }
  if (is_degenerate(t0, t1, t2)) {
    return segments_touch(a, b, t0, t1) || segments_touch(a, b, t1, t2) || segments_touch(a, b, t2, t0);
  }
  // The segment lies in the plane of the triangle: three views decide, as in segments_touch.
  const std::array<Vec<3>, 3> t = {t0, t1, t2};
  return planar_segment_touches_triangle(a, b, t, 0) && planar_segment_touches_triangle(a, b, t, 1) &&
         planar_segment_touches_triangle(a, b, t, 2);
}

}  // namespace clearance::verify
