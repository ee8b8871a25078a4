// Intervals that enclose every real result for every real number in their operands [Fer21, app. A.3]. Bounds move
// outwards to a neighbouring double exactly if a result was rounded, which the error-free residual of the operation
// tells. No rounding mode is switched, so that the compiler's optimisations (without -ffast-math and contraction) are
// safe. Overflow ends in infinite bounds. A result that is undefined everywhere or unknown is the whole line.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace clearance {

/// Returns the next double below or above. The infinity in that direction stays; the other one becomes the largest
/// finite number of its sign. A NaN stays.
inline double next_below(double x) {
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  if (x == 0.0) return -smallest;
  if (!(x > -std::numeric_limits<double>::infinity())) return x;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return std::bit_cast<double>(x > 0.0 ? bits - 1 : bits + 1);
}
inline double next_above(double x) {
  return -next_below(-x);
}

/// An interval with lo <= hi; bounds may be infinite.
struct Interval {
  double lo = 0.0;
  double hi = 0.0;

  constexpr Interval() = default;
  constexpr Interval(double value) : lo(value), hi(value) {}
  constexpr Interval(double lower, double upper) : lo(lower), hi(upper) {}
  static constexpr Interval everything() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }

  bool contains(double x) const { return lo <= x && x <= hi; }
  bool contains(const Interval& other) const { return lo <= other.lo && other.hi <= hi; }
  bool contains_zero() const { return contains(0.0); }
  /// Returns an upper bound of the width.
  double width() const { return next_above(hi - lo); }
  /// Returns a number inside.
  double middle() const { return std::clamp(0.5 * lo + 0.5 * hi, lo, hi); }
  /// Returns an upper bound of the absolute values.
  double magnitude() const { return std::max(-lo, hi); }

  bool operator==(const Interval&) const = default;
};

// --- comparisons that hold for all numbers of both ---
inline bool certainly_less(const Interval& a, const Interval& b) {
  return a.hi < b.lo;
}
inline bool certainly_less_equal(const Interval& a, const Interval& b) {
  return a.hi <= b.lo;
}
inline bool overlap(const Interval& a, const Interval& b) {
  return a.lo <= b.hi && b.lo <= a.hi;
}

/// Returns the smallest interval that contains both.
inline Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}
/// Returns the intersection of overlapping intervals.
inline Interval common_part(const Interval& a, const Interval& b) {
  return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
}

namespace interval_detail {

/// `result` was rounded from result + residual; the sign of the residual is exact, NaN if it is not known.
inline double round_down(double result, double residual) {
  return residual >= 0.0 ? result : next_below(result);
}
inline double round_up(double result, double residual) {
  return residual <= 0.0 ? result : next_above(result);
}

/// Below this magnitude the residuals of products and quotients may underflow.
inline constexpr double safe = 1e-270;
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct Rounded {
  double result;
  double residual;
  double down() const { return round_down(result, residual); }
  double up() const { return round_up(result, residual); }
};

/// Returns a + b [Knu69].
inline Rounded add(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}
/// Returns a b; zero times infinity is zero.
inline Rounded multiply(double a, double b) {
  if (a == 0.0 || b == 0.0) return {0.0, 0.0};
  const double product = a * b;
  return {product, std::abs(product) > safe ? std::fma(a, b, -product) : unknown};
}
/// Returns a / b for b != 0.
inline Rounded divide(double a, double b) {
  if (a == 0.0) return {0.0, 0.0};
  const double quotient = a / b;
  const bool is_safe = std::abs(quotient) > safe && std::abs(a) > safe;
  const double remainder = is_safe ? -std::fma(quotient, b, -a) : unknown;
  return {quotient, b > 0.0 ? remainder : -remainder};
}

inline Interval valid(double lo, double hi) {
  return lo <= hi ? Interval{lo, hi} : Interval::everything();
}

}  // namespace interval_detail

inline Interval operator-(const Interval& a) {
  return {-a.hi, -a.lo};
}
inline Interval operator+(const Interval& a, const Interval& b) {
  return interval_detail::valid(interval_detail::add(a.lo, b.lo).down(), interval_detail::add(a.hi, b.hi).up());
}
inline Interval operator-(const Interval& a, const Interval& b) {
  return a + -b;
}
inline Interval operator*(const Interval& a, const Interval& b) {
  using interval_detail::multiply;
  const interval_detail::Rounded p[4] = {multiply(a.lo, b.lo), multiply(a.lo, b.hi), multiply(a.hi, b.lo),
                                         multiply(a.hi, b.hi)};
  return interval_detail::valid(std::min({p[0].down(), p[1].down(), p[2].down(), p[3].down()}),
                                std::max({p[0].up(), p[1].up(), p[2].up(), p[3].up()}));
}
/// Returns the whole line if b contains zero.
inline Interval operator/(const Interval& a, const Interval& b) {
  using interval_detail::divide;
  if (!(b.lo > 0.0 || b.hi < 0.0)) return Interval::everything();
  const interval_detail::Rounded q[4] = {divide(a.lo, b.lo), divide(a.lo, b.hi), divide(a.hi, b.lo),
                                         divide(a.hi, b.hi)};
  return interval_detail::valid(std::min({q[0].down(), q[1].down(), q[2].down(), q[3].down()}),
                                std::max({q[0].up(), q[1].up(), q[2].up(), q[3].up()}));
}
inline Interval& operator+=(Interval& a, const Interval& b) {
  return a = a + b;
}
inline Interval& operator-=(Interval& a, const Interval& b) {
  return a = a - b;
}
inline Interval& operator*=(Interval& a, const Interval& b) {
  return a = a * b;
}
inline Interval& operator/=(Interval& a, const Interval& b) {
  return a = a / b;
}

inline Interval abs(const Interval& a) {
  if (a.lo >= 0.0) return a;
  if (a.hi <= 0.0) return -a;
  return {0.0, a.magnitude()};
}
/// Returns the square, which is never negative, unlike a * a.
inline Interval square(const Interval& a) {
  const Interval size = abs(a);
  return {std::max(0.0, interval_detail::multiply(size.lo, size.lo).down()),
          interval_detail::multiply(size.hi, size.hi).up()};
}
/// Returns the square root of the part that is not negative; the whole line if there is none.
Interval sqrt(const Interval& a);

/// Bounds rely on elementary::sin and elementary::cos being exact to one unit in the last place.
Interval sin(const Interval& a);
Interval cos(const Interval& a);

/// Returns sin(x) / x and, as in sinc_derivatives of rotation.h, the factors of its derivatives by a vector of length
/// x. Evaluation is monotonous around zero, where division would widen without bound (A.3).
Interval sinc(const Interval& a);
Interval sinc_first(const Interval& a);
Interval sinc_second(const Interval& a);

}  // namespace clearance
