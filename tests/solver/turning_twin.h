// The slow twin of curved CCD: decides by exact arithmetic if two primitives meet while they turn.
//
// With t = tan(angle / 2) a turn about a coordinate axis is rational, and with numerators and denominators taken apart
// all that matters is polynomials with integer coefficients: the volume of the four vertices, zero where the primitives
// are in a plane, and where the closest points of their lines or planes are. On an interval a polynomial is bounded by
// its control points (Bernstein's form); intervals that tell nothing are halved. Nothing is shared with the code under
// test but doubles.
#pragma once

#include <gmpxx.h>

#include <array>
#include <cmath>
#include <vector>

#include "clearance/contact/contact_set.h"
#include "clearance/math/types.h"

namespace clearance::turning_twin {

using Integer = mpz_class;

/// Coefficients of 1, t, t^2...
class Polynomial {
 public:
  Polynomial() = default;
  Polynomial(std::initializer_list<Integer> c) : c_(c) {}
  std::size_t size() const { return c_.size(); }
  const Integer& operator[](std::size_t i) const { return c_[i]; }

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b) {
    Polynomial sum = a;
    sum.c_.resize(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < b.size(); ++i) sum.c_[i] += b[i];
    return sum;
  }
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b) {
    Polynomial sum = a;
    sum.c_.resize(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < b.size(); ++i) sum.c_[i] -= b[i];
    return sum;
  }
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b) {
    Polynomial product;
    product.c_.resize(a.size() + b.size() - 1);
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) product.c_[i + j] += a[i] * b[j];
    }
    return product;
  }

 private:
  std::vector<Integer> c_;
};

using Point = std::array<Polynomial, 3>;
inline Point operator-(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Polynomial dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Scale of the integers: x 2^scale_bits is exact for multiples of that unit.
inline constexpr int scale_bits = 200;
inline Integer scaled(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  Integer number(std::ldexp(mantissa, 53));
  const int shift = scale_bits + exponent - 53;
  if (shift >= 0) return number << static_cast<unsigned>(shift);
  return number >> static_cast<unsigned>(-shift);
}

/// A body that turns about a coordinate axis through a centre, by +angle, -angle or not at all.
struct Turn {
  Vec<3> center = Vec<3>::Zero();
  int axis = 2;
  int sign = 0;
};

/// Returns the numerator of a vertex's position at the angle of `quarter` quarter turns and 2 atan t; the denominator
/// is 1 + t^2.
inline Point position(const Vec<3>& x, const Turn& turn, int quarter) {
  std::array<Integer, 3> center, arm, side;
  const auto i = static_cast<std::size_t>((turn.axis + 1) % 3), j = static_cast<std::size_t>((turn.axis + 2) % 3),
             k = static_cast<std::size_t>(turn.axis);
  for (std::size_t c = 0; c < 3; ++c) {
    center[c] = scaled(turn.center[static_cast<Eigen::Index>(c)]);
    arm[c] = scaled(x[static_cast<Eigen::Index>(c)]) - center[c];
  }
  if (turn.sign == 0) {
    Point still;
    for (std::size_t c = 0; c < 3; ++c) still[c] = {center[c] + arm[c], 0, center[c] + arm[c]};
    return still;
  }
  const int quarters = ((turn.sign * quarter) % 4 + 4) % 4;
  for (int q = 0; q < quarters; ++q) {
    const Integer before = arm[i];
    arm[i] = -arm[j];
    arm[j] = before;
  }
  side[i] = -arm[j] * turn.sign;
  side[j] = arm[i] * turn.sign;
  Point p;
  p[k] = {center[k] + arm[k], 0, center[k] + arm[k]};
  for (const std::size_t c : {i, j}) p[c] = {center[c] + arm[c], 2 * side[c], center[c] - arm[c]};
  return p;
}

/// Returns the control points of a polynomial on [0, end], times a positive number.
inline std::vector<Integer> control_points(const Polynomial& p, double end) {
  const std::size_t degree = p.size() - 1;
  int exponent = 0;
  const Integer mantissa(std::ldexp(std::frexp(end, &exponent), 53));
  const unsigned bits = static_cast<unsigned>(53 - exponent);
  std::vector<Integer> c(p.size());
  Integer power = 1;
  for (std::size_t j = 0; j <= degree; ++j, power *= mantissa) {
    c[j] = (p[j] * power) << (bits * static_cast<unsigned>(degree - j));
  }
  Integer common = 1;
  std::vector<Integer> binomials(p.size());
  for (std::size_t j = 0; j <= degree; ++j) {
    mpz_bin_uiui(binomials[j].get_mpz_t(), degree, j);
    common = lcm(common, binomials[j]);
  }
  std::vector<Integer> control(p.size());
  for (std::size_t i = 0; i <= degree; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      Integer of_i;
      mpz_bin_uiui(of_i.get_mpz_t(), i, j);
      control[i] += of_i * (common / binomials[j]) * c[j];
    }
  }
  return control;
}

inline int sign_of_all(const std::vector<Integer>& control) {
  int sign = sgn(control[0]);
  for (const Integer& c : control) {
    if (sgn(c) != sign) return 0;
  }
  return sign;
}

/// Replaces the control points by those of the left half; returns those of the right one.
inline std::vector<Integer> halve(std::vector<Integer>& control) {
  const auto degree = static_cast<unsigned>(control.size() - 1);
  std::vector<Integer> right(control.size()), level = control;
  for (unsigned r = 0; r <= degree; ++r) {
    control[r] = level[0] << (degree - r);
    right[degree - r] = level[degree - r] << (degree - r);
    for (unsigned i = 0; i + r < degree; ++i) level[i] += level[i + 1];
  }
  return right;
}

/// Conditions of contact: a pair meets where `volume` is zero and no part of `inside` is negative.
struct Conditions {
  Polynomial volume;
  std::vector<Polynomial> inside;
};

inline Conditions conditions(const std::array<Point, 4>& x, int dim, int num_first) {
  Conditions of_pair;
  if (dim == 2) {
    const Point e = x[2] - x[1], d = x[0] - x[1];
    of_pair.volume = e[0] * d[1] - e[1] * d[0];
    const Polynomial along = e[0] * d[0] + e[1] * d[1];
    of_pair.inside = {along, e[0] * e[0] + e[1] * e[1] - along};
  } else if (num_first == 1) {
    const Point d = x[0] - x[1], e1 = x[2] - x[1], e2 = x[3] - x[1], n = cross(e1, e2);
    of_pair.volume = dot(d, n);
    const Polynomial u = dot(cross(d, e2), n), v = dot(cross(e1, d), n);
    of_pair.inside = {u, v, dot(n, n) - u - v};
  } else {
    const Point a = x[1] - x[0], b = x[3] - x[2], d = x[2] - x[0], n = cross(a, b);
    of_pair.volume = dot(d, n);
    const Polynomial s = dot(cross(d, b), n), t = dot(cross(d, a), n), nn = dot(n, n);
    of_pair.inside = {s, nn - s, t, nn - t};
  }
  return of_pair;
}

enum class Verdict { apart, met, unknown };

/// The pair along [0, end] of one quarter turn, and the values that may separate it there.
class Piece {
 public:
  /// Judges the pair. `direction(part)` proposes a direction that may separate the pair there, part in [0, 1]. The
  /// verdict is unknown if it takes more than `most` intervals, as where edges stay parallel at a tiny gap and only
  /// directions can decide.
  template <class Direction>
  static Verdict judge(const std::array<Point, 4>& x, int dim, int num_first, double end, const Direction& direction,
                       int most) {
    Piece piece;
    const Conditions of_pair = conditions(x, dim, num_first);
    piece.volume_ = control_points(of_pair.volume, end);
    for (const Polynomial& p : of_pair.inside) piece.inside_.push_back(control_points(p, end));
    constexpr std::array<std::array<std::size_t, 2>, 4> edges = {{{0, 2}, {1, 2}, {1, 3}, {0, 3}}};
    const std::size_t num_corners = dim == 2 ? 2 : num_first == 1 ? 3 : 4;
    for (std::size_t k = 0; k < num_corners; ++k) {
      const std::size_t first = num_first == 1 ? 0 : edges[k][0], second = num_first == 1 ? k + 1 : edges[k][1];
      const Point r = x[first] - x[second];
      piece.corners_.push_back({control_points(r[0], end), control_points(r[1], end), control_points(r[2], end)});
    }
    return piece.judge(0.0, 1.0, 0, direction, most);
  }

 private:
  template <class Direction>
  Verdict judge(double begin, double end, int depth, const Direction& direction, int& most) {
    if (--most < 0) return Verdict::unknown;
    if (is_separated_along(direction(0.5 * (begin + end)))) return Verdict::apart;
    if (sign_of_all(volume_) != 0) return Verdict::apart;
    for (const auto& control : inside_) {
      if (sign_of_all(control) < 0) return Verdict::apart;
    }
    // A pair that touches within 2^-70 of the way counts as met.
    if (depth == 70) return Verdict::met;
    Piece right;
    right.volume_ = halve(volume_);
    for (auto& control : inside_) right.inside_.push_back(halve(control));
    for (auto& corner : corners_) right.corners_.push_back({halve(corner[0]), halve(corner[1]), halve(corner[2])});
    const double middle = 0.5 * (begin + end);
    const Verdict left = judge(begin, middle, depth + 1, direction, most);
    return left != Verdict::apart ? left : right.judge(middle, end, depth + 1, direction, most);
  }

  bool is_separated_along(const Vec<3>& direction) const {
    std::array<Integer, 3> n;
    for (std::size_t c = 0; c < 3; ++c) n[c] = scaled(direction[static_cast<Eigen::Index>(c)]);
    for (const auto& corner : corners_) {
      for (std::size_t i = 0; i < corner[0].size(); ++i) {
        if (sgn(Integer(n[0] * corner[0][i] + n[1] * corner[1][i] + n[2] * corner[2][i])) <= 0) return false;
      }
    }
    return true;
  }

  std::vector<Integer> volume_;
  std::vector<std::vector<Integer>> inside_;
  std::vector<std::array<std::vector<Integer>, 3>> corners_;
};

}  // namespace clearance::turning_twin
