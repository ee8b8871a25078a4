// A conservative test of signs in floating point, after TightCCD ([Wan15]; TCCD of [Fer23, sec. 3.4.2]):
// the coplanarity cubic and the conditions on u and v as Bernstein polynomials, whose values lie between their
// coefficients. A pair is free of contact if on each half of [0, 1] the cubic keeps its sign or a condition is
// negative. There is no refinement: false positives cannot be bought off, and coplanar motions always count as a hit.
//
// The forward error analysis has A, B, Q for the largest coordinates of a, b, q, and u = 2^-53. Every term of a
// coefficient is a product of differences (one rounding each) that passes through so many roundings:
//   twice a cross product:  5, the terms sum to at most 4 A B;
//   cubic (6 f):           10, 36 A B Q; halving adds 3:          468 u A B Q;
//   conditions:            17, 288 times A B (A B + Q B + A Q) at most; halving adds 4: 6048 u A B (...).
// The constants below leave room for terms of second order and for the roundings of the bound itself.
#include <algorithm>
#include <cmath>
#include <limits>

#include "clearance/ccd/methods/deciders.h"
#include "clearance/ccd/methods/plane_form.h"

namespace clearance {
namespace {

double largest(const VectorPolynomial<double, 2>& v) {
  double result = 0.0;
  for (const Triple<double>& end : v) {
    for (const double x : end) result = std::max(result, std::abs(x));
  }
  return result;
}

/// Comparisons that fail for numbers that are not finite: these never exclude a contact.
template <std::size_t count>
bool is_certainly_positive(const BernsteinPolynomial<double, count>& p, double error) {
  return std::all_of(p.begin(), p.end(), [error](double c) { return c > error; });
}
template <std::size_t count>
bool is_certainly_negative(const BernsteinPolynomial<double, count>& p, double error) {
  return std::all_of(p.begin(), p.end(), [error](double c) { return c < -error; });
}

/// Returns the polynomial on [0, 1/2] or [1/2, 1] (de Casteljau).
template <std::size_t count>
BernsteinPolynomial<double, count> half(BernsteinPolynomial<double, count> p, bool is_second) {
  for (std::size_t level = 1; level < count; ++level) {
    if (is_second) {
      for (std::size_t i = 0; i + level < count; ++i) p[i] = 0.5 * (p[i] + p[i + 1]);
    } else {
      for (std::size_t i = count - 1; i >= level; --i) p[i] = 0.5 * (p[i - 1] + p[i]);
    }
  }
  return p;
}

}  // namespace

CcdAnswer decide_by_tight_ccd(const CcdQuery& query, const CcdMethodOptions&) {
  constexpr double u = 0x1p-53, least = std::numeric_limits<double>::min();
  const auto form = plane_form<double>(query.kind, query.motion.t0, query.motion.t1);
  const double a = largest(form.a), b = largest(form.b), q = largest(form.q);
  const double underflow = least * (1.0 + a + b + q) * (1.0 + a + b + q);
  const double cubic_error = 512.0 * u * (a * b) * q + underflow;
  const BernsteinPolynomial<double, 4> cubic = coplanarity(form);
  if (is_certainly_positive(cubic, cubic_error) || is_certainly_negative(cubic, cubic_error)) return {};

  constexpr double no_time = std::numeric_limits<double>::quiet_NaN();
  const bool is_coplanar_motion =
      std::all_of(cubic.begin(), cubic.end(), [cubic_error](double c) { return std::abs(c) <= cubic_error; });
  if (is_coplanar_motion) return {true, no_time};

  const double error = 8192.0 * u * (a * b) * (a * b + q * b + a * q) + underflow * (1.0 + a + b + q);
  const InsideConditions<double> inside = inside_conditions(form);
  for (const bool is_second : {false, true}) {
    const auto part = half(cubic, is_second);
    bool is_excluded = is_certainly_positive(part, cubic_error) || is_certainly_negative(part, cubic_error);
    for (int i = 0; i < inside.count && !is_excluded; ++i) {
      is_excluded = is_certainly_negative(half(inside.conditions[i], is_second), error);
    }
    if (!is_excluded) return {true, no_time};
  }
  return {};
}

}  // namespace clearance
