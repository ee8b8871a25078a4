#include "clearance/math/interval.h"

#include "clearance/math/elementary.h"

namespace clearance {

namespace {

/// Encloses pi / 2.
constexpr Interval half_pi{1.5707963267948966, 1.5707963267948968};
constexpr Interval two_pi{6.283185307179586, 6.283185307179587};

/// Encloses the true value of a library's result: moves outwards by two neighbours, which is one unit in the last place
/// with room to spare.
Interval around(double value) {
  return {std::max(-1.0, next_below(next_below(value))), std::min(1.0, next_above(next_above(value)))};
}

/// True if `a` may contain a number that is `phase` plus a whole number of turns.
bool may_pass(const Interval& a, const Interval& phase) {
  const Interval turns = (a - phase) / two_pi;
  return !(std::floor(turns.hi) < std::ceil(turns.lo));
}

/// Encloses a function of period two pi from its values at the bounds and the places of its extrema.
Interval periodic(const Interval& a, double at_lo, double at_hi, const Interval& maximum, const Interval& minimum) {
  if (!std::isfinite(a.lo) || !std::isfinite(a.hi)) return {-1.0, 1.0};
  Interval range = hull(around(at_lo), around(at_hi));
  if (may_pass(a, maximum)) range.hi = 1.0;
  if (may_pass(a, minimum)) range.lo = -1.0;
  return range;
}

/// Encloses the sum over k of coefficient(k) (-u)^k / (2k + 1)! over k >= first, divided by u^first, for u in [0, 4]:
/// the series of sinc and its derivatives by u. Its terms alternate and fall from the second on, so that the first
/// omitted one bounds the rest.
Interval alternating_series(double u, int first, double (*coefficient)(int)) {
  constexpr int num_terms = 16;
  Interval factor = 1.0;
  Interval terms[num_terms + 1];
  for (int k = 0; k <= num_terms; ++k) {
    if (k > 0) factor = factor / Interval(-2.0 * k * (2.0 * k + 1.0));
    if (k >= first) terms[k - first] = factor * Interval(coefficient(k));
  }
  const int count = num_terms - first;
  Interval power = 1.0, sum = 0.0;
  for (int k = count - 1; k >= 0; --k) sum = sum * Interval(u) + terms[k];
  for (int k = 0; k < count; ++k) power = power * Interval(u);
  const double rest = (terms[count] * power).magnitude();
  return sum + Interval(-rest, rest);
}

Interval sinc_formula(const Interval& x) {
  return sin(x) / x;
}
Interval sinc_first_formula(const Interval& x) {
  return (cos(x) - sin(x) / x) / square(x);
}
Interval sinc_second_formula(const Interval& x) {
  const Interval u = square(x), three = 3.0;
  return ((three / u - Interval(1.0)) * (sin(x) / x) - three * cos(x) / u) / u;
}

/// The differences between sinc and the two functions from its derivatives, all of which are even.
struct SincFunction {
  int first_term;                        ///< first term of the series
  double (*coefficient)(int k);          ///< coefficients of the series
  Interval (*formula)(const Interval&);  ///< closed form, used away from zero
  double turning_point;                  ///< the function is monotonous from zero to here
  double largest;                        ///< largest absolute value, taken at zero
};

Interval evaluate(const SincFunction& function, const Interval& a) {
  // Evaluate at one number. Up to 2 the formulas of the derivatives cancel, and the series converges fast.
  const auto at = [&](double x) {
    if (x > 2.0) return function.formula(Interval(x));
    const Interval u = square(Interval(x));
    return hull(alternating_series(u.lo, function.first_term, function.coefficient),
                alternating_series(u.hi, function.first_term, function.coefficient));
  };
  const double turning_point = function.turning_point;
  const Interval x = abs(a), bounds = {next_below(-function.largest), next_above(function.largest)};
  if (x.hi <= turning_point) return common_part(hull(at(x.lo), at(x.hi)), bounds);
  const Interval beyond = function.formula(Interval(std::max(x.lo, turning_point), x.hi));
  const Interval range = x.lo < turning_point ? hull(hull(at(x.lo), at(turning_point)), beyond) : beyond;
  return overlap(range, bounds) ? common_part(range, bounds) : bounds;
}

}  // namespace

Interval sqrt(const Interval& a) {
  if (!(a.hi >= 0.0)) return Interval::everything();
  const auto root = [](double x) {
    const double value = std::sqrt(x);
    const double residual = x > interval_detail::safe ? -std::fma(value, value, -x) : interval_detail::unknown;
    return interval_detail::Rounded{value, x == 0.0 || std::isinf(x) ? 0.0 : residual};
  };
  return {a.lo > 0.0 ? root(a.lo).down() : 0.0, root(a.hi).up()};
}

Interval sin(const Interval& a) {
  return periodic(a, elementary::sin(a.lo), elementary::sin(a.hi), half_pi, -half_pi);
}

Interval cos(const Interval& a) {
  return periodic(a, elementary::cos(a.lo), elementary::cos(a.hi), Interval(0.0), Interval(2.0) * half_pi);
}

// The turning points are lower bounds of the first positive zeros of the spherical Bessel functions j1, j2 and j3: the
// derivative of j_n(x) / x^n is -j_{n+1}(x) / x^n.
Interval sinc(const Interval& a) {
  return evaluate({0, [](int) { return 1.0; }, sinc_formula, 4.4934094579, 1.0}, a);
}
Interval sinc_first(const Interval& a) {
  return evaluate({1, [](int k) { return 2.0 * k; }, sinc_first_formula, 5.7634591968, 1.0 / 3.0}, a);
}
Interval sinc_second(const Interval& a) {
  return evaluate({2, [](int k) { return 4.0 * k * (k - 1.0); }, sinc_second_formula, 6.9879320005, 1.0 / 15.0}, a);
}

}  // namespace clearance
