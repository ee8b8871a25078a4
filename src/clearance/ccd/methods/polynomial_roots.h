// Real roots of polynomials in plain floating point: between the roots of the derivative a polynomial is monotone, so
// that a change of sign brackets exactly one root. No error bounds: the methods built on it miss what rounding hides.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace clearance {

/// A polynomial has its coefficients in ascending powers of t.
template <std::size_t count>
using PowerPolynomial = std::array<double, count>;

template <std::size_t count>
double evaluate(const PowerPolynomial<count>& p, double t) {
  double value = p[count - 1];
  for (std::size_t i = count - 1; i-- > 0;) value = value * t + p[i];
  return value;
}

template <std::size_t count>
PowerPolynomial<count - 1> derivative(const PowerPolynomial<count>& p) {
  PowerPolynomial<count - 1> d;
  for (std::size_t i = 1; i < count; ++i) d[i - 1] = static_cast<double>(i) * p[i];
  return d;
}

template <std::size_t m, std::size_t n>
PowerPolynomial<m + n - 1> product(const PowerPolynomial<m>& p, const PowerPolynomial<n>& q) {
  PowerPolynomial<m + n - 1> r{};
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) r[i + j] += p[i] * q[j];
  }
  return r;
}

/// Roots in [0, 1] are stored in ascending order.
template <std::size_t count>
struct UnitRoots {
  std::array<double, count> roots;
  std::size_t size = 0;
  void push(double t) {
    if (size < count && (size == 0 || roots[size - 1] < t)) roots[size++] = t;
  }
};

/// Newton's method, halving where it leaves the bracket. p changes its sign between low and high.
template <std::size_t count>
double bracketed_root(const PowerPolynomial<count>& p, double low, double high, double at_low) {
  const PowerPolynomial<count - 1> slope = derivative(p);
  double t = 0.5 * (low + high);
  for (int i = 0; i < 100; ++i) {
    const double value = evaluate(p, t);
    if (value == 0.0) return t;
    ((value < 0.0) == (at_low < 0.0) ? low : high) = t;
    double next = t - value / evaluate(slope, t);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == t || std::abs(next - t) <= 0x1p-53) return next;
    t = next;
  }
  return t;
}

/// Ends of [0, 1] and extrema are roots where p is computed as zero. The zero polynomial has none.
template <std::size_t count>
UnitRoots<count + 1> unit_roots(const PowerPolynomial<count>& p) {
  UnitRoots<count + 1> result;
  if constexpr (count == 2) {
    if (p[1] == 0.0) return result;
    const double t = -p[0] / p[1];
    if (t >= 0.0 && t <= 1.0) result.push(t);
  } else {
    const auto extrema = unit_roots(derivative(p));
    double low = 0.0, at_low = evaluate(p, 0.0);
    bool is_zero = true;
    for (const double c : p) is_zero = is_zero && c == 0.0;
    if (is_zero) return result;
    if (at_low == 0.0) result.push(low);
    for (std::size_t i = 0; i <= extrema.size; ++i) {
      const double high = i < extrema.size ? extrema.roots[i] : 1.0;
      const double at_high = evaluate(p, high);
      if ((at_low < 0.0 && at_high > 0.0) || (at_low > 0.0 && at_high < 0.0)) {
        result.push(bracketed_root(p, low, high, at_low));
      }
      if (at_high == 0.0) result.push(high);
      low = high;
      at_low = at_high;
    }
  }
  return result;
}

}  // namespace clearance
