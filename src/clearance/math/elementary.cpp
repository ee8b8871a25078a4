#include "clearance/math/elementary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "clearance/math/error_free.h"
#include "clearance/math/extended.h"

namespace clearance::elementary {
namespace {

using std::abs, std::frexp, std::ldexp, std::sqrt;

// To 64 bits, pi, ln 2, ln 10 and the square root of 1/2.
constexpr Extended pi = make_extended(0xc90fdaa22168c235, -62), ln2 = make_extended(0xb17217f7d1cf79ac, -64);
constexpr Extended ln10 = make_extended(0x935d8dddaaa8ac17, -62), root_half = make_extended(0xb504f333f9de6484, -64);
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Returns f(0), f(1), ..., the coefficients of a series.
template <std::size_t count>
constexpr std::array<Extended, count> coefficients(Extended (*f)(int k)) {
  std::array<Extended, count> c{};
  for (std::size_t k = 0; k < count; ++k) c[k] = f(static_cast<int>(k));
  return c;
}
constexpr Extended factorial(int n) {
  return n == 0 ? 1 : n * factorial(n - 1);
}
constexpr Extended alternating(int k) {
  return k % 2 == 0 ? 1 : -1;
}

template <std::size_t count>
Extended polynomial(const std::array<Extended, count>& coefficients, Extended x) {
  Extended sum = 0;
  for (std::size_t k = count; k > 0; --k) sum = sum * x + coefficients[k - 1];
  return sum;
}

// On the given ranges the first omitted term is below 2^-66 of the sum in each of these series.
constexpr auto sine_terms = coefficients<11>([](int k) { return alternating(k) / factorial(2 * k + 1); });
constexpr auto cosine_terms = coefficients<11>([](int k) { return alternating(k) / factorial(2 * k); });
constexpr auto exponential_terms = coefficients<17>([](int k) { return 1 / factorial(k); });
constexpr auto arc_tangent_terms = coefficients<15>([](int k) { return alternating(k) / (2 * k + 1); });
constexpr auto area_tangent_terms = coefficients<15>([](int k) { return Extended(1) / (2 * k + 1); });

/// Returns the sine, for |x| <= pi / 4; the cosine series has the same range.
Extended sine_series(Extended x) {
  return x * polynomial(sine_terms, x * x);
}
Extended cosine_series(Extended x) {
  return polynomial(cosine_terms, x * x);
}
/// Returns the hyperbolic sine, for |x| <= 1 / 2.
Extended hyperbolic_sine_series(Extended x) {
  return x * polynomial(sine_terms, -x * x);
}

/// Returns e^x for |x| <= 12000, where the exponent stays in the range of extended precision.
Extended exponential(Extended x) {
  // x = k ln 2 + r; the first part of ln 2 has 48 bits, so that its product with k is exact.
  constexpr Extended ln2_high = make_extended(0xb17217f7d1cf, -48), ln2_low = make_extended(0x79abc9e3b39803f2, -112);
  const int k = floor_to_int(x / ln2 + 0.5);
  return ldexp(polynomial(exponential_terms, (x - k * ln2_high) - k * ln2_low), k);
}

/// Returns ln x for finite x > 0.
Extended natural_logarithm(Extended x) {
  // x is 2^k m with m between sqrt(1/2) and sqrt(2), and ln m is 2 artanh s.
  int k = 0;
  Extended m = frexp(x, &k);
  if (m < root_half) {
    m *= 2;
    --k;
  }
  const Extended s = (m - 1) / (m + 1);
  return k * ln2 + 2 * s * polynomial(area_tangent_terms, s * s);
}

/// Returns the arc tangent of t >= 0, which may be infinite.
Extended arc_tangent(Extended t) {
  if (t > 1) return pi / 2 - arc_tangent(1 / t);
  // Take the tangent of half the angle twice; then t < 0.2.
  for (int n = 0; n < 2; ++n) t = t / (1 + sqrt(1 + t * t));
  return 4 * t * polynomial(arc_tangent_terms, t * t);
}

/// The reduced x is quadrant pi / 2 + angle with |angle| <= pi / 4.
struct ReducedAngle {
  int quadrant;
  Extended angle;
};

/// Reduces a large angle by the method of Payne and Hanek, which computes only the bits that count of the product of
/// x's mantissa with 2 / pi.
ReducedAngle reduce_large(double x) {
  __extension__ using DoubleWord = unsigned __int128;
  // The table has the binary digits of 2 / pi, after 64 zeros.
  static constexpr std::array<std::uint64_t, 21> two_over_pi = {
      0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
      0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
      0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
      0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
      0xf0cfbc209af4361d};
  int exponent = 0;
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  // Take 192 digits from the one that is worth 2 after multiplication on: two digits of the quadrant, 190 of the
  // fraction. Bits before them count whole turns, bits after them 2^-137 at most. No double comes closer to a quadrant
  // than 2^-62.
  const int first = exponent + 9;
  const auto digits = [&](int word) {
    const std::size_t at = first / 64 + word;
    const int shift = first % 64;
    return shift == 0 ? two_over_pi[at] : two_over_pi[at] << shift | two_over_pi[at + 1] >> (64 - shift);
  };
  const DoubleWord low = static_cast<DoubleWord>(mantissa) * digits(2);
  const DoubleWord middle = static_cast<DoubleWord>(mantissa) * digits(1) + static_cast<std::uint64_t>(low >> 64);
  const std::uint64_t high = mantissa * digits(0) + static_cast<std::uint64_t>(middle >> 64);
  // Split off the nearest quadrant; the rest is signed.
  const std::uint64_t quadrant = (high + (std::uint64_t{1} << 61)) >> 62;
  const auto rest = static_cast<std::int64_t>(high - (quadrant << 62));
  const auto digits_at = [](std::uint64_t words, int power) { return ldexp(make_extended(words, 0), power); };
  const Extended first_digits = digits_at(static_cast<std::uint64_t>(rest < 0 ? -rest : rest), -62);
  const Extended fraction = (rest < 0 ? -first_digits : first_digits) +
                            digits_at(static_cast<std::uint64_t>(middle), -126) +
                            digits_at(static_cast<std::uint64_t>(low), -190);
  return {static_cast<int>(quadrant), fraction * (pi / 2)};
}

ReducedAngle reduce(double x) {
  if (std::abs(x) <= 0.78) return {0, x};
  const ReducedAngle reduced = reduce_large(std::abs(x));
  return x < 0 ? ReducedAngle{-reduced.quadrant, -reduced.angle} : reduced;
}

Extended sine(const ReducedAngle& x) {
  const Extended value = x.quadrant & 1 ? cosine_series(x.angle) : sine_series(x.angle);
  return x.quadrant & 2 ? -value : value;
}
Extended cosine(const ReducedAngle& x) {
  return sine({x.quadrant + 1, x.angle});
}

}  // namespace

double exp(double x) {
  if (std::isnan(x)) return x;
  return static_cast<double>(exponential(std::clamp(x, -1000.0, 1000.0)));
}

double log(double x) {
  if (!(x > 0.0) || std::isinf(x)) return std::log(x);
  return static_cast<double>(natural_logarithm(x));
}

double log1p(double x) {
  if (!(x > -1.0) || std::isinf(x) || x == 0.0) return std::log1p(x);
  // Rounding of 1 + x changes the argument and the divisor alike, so it cancels.
  const Extended sum = 1 + static_cast<Extended>(x);
  return static_cast<double>(sum == 1 ? x : natural_logarithm(sum) * (x / (sum - 1)));
}

double log10(double x) {
  if (!(x > 0.0) || std::isinf(x)) return std::log10(x);
  return static_cast<double>(natural_logarithm(x) / ln10);
}

double pow(double x, double y) {
  // For zero, infinity and NaN the library's results are exact.
  if (x == 0.0 || !std::isfinite(x) || !std::isfinite(y)) return std::pow(x, y);
  const bool is_whole = std::floor(y) == y;
  if (x < 0.0 && !is_whole) return not_a_number;
  Extended value = 1;
  if (is_whole && std::abs(y) <= 64.0) {
    for (int n = 0; n < static_cast<int>(std::abs(y)); ++n) value *= x;
    return static_cast<double>(y < 0.0 ? 1 / value : value);
  }
  value = exponential(std::clamp<Extended>(y * natural_logarithm(std::abs(x)), -1000, 1000));
  return static_cast<double>(x < 0.0 && std::fmod(y, 2.0) != 0.0 ? -value : value);
}

double sin(double x) {
  return std::isfinite(x) ? static_cast<double>(sine(reduce(x))) : not_a_number;
}

double cos(double x) {
  return std::isfinite(x) ? static_cast<double>(cosine(reduce(x))) : not_a_number;
}

double tan(double x) {
  if (!std::isfinite(x)) return not_a_number;
  const ReducedAngle reduced = reduce(x);
  return static_cast<double>(sine(reduced) / cosine(reduced));
}

double asin(double x) {
  if (!(std::abs(x) <= 1.0)) return not_a_number;
  const Extended size = std::abs(x), angle = arc_tangent(size / sqrt((1 - size) * (1 + size)));
  return std::copysign(static_cast<double>(angle), x);
}

double acos(double x) {
  if (!(std::abs(x) <= 1.0)) return not_a_number;
  return static_cast<double>(2 * arc_tangent(sqrt((1 - Extended(x)) / (1 + Extended(x)))));
}

double atan(double x) {
  return std::isnan(x) ? x : std::copysign(static_cast<double>(arc_tangent(std::abs(x))), x);
}

double atan2(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return not_a_number;
  // For two infinities and for two zeros only the signs count.
  if ((std::isinf(x) && std::isinf(y)) || (x == 0.0 && y == 0.0)) {
    const double size = std::isinf(x) ? 1.0 : 0.0;
    return atan2(std::copysign(size, y), std::copysign(1.0, x));
  }
  const Extended angle = arc_tangent(abs(Extended(y)) / abs(Extended(x)));
  return std::copysign(static_cast<double>(std::signbit(x) ? pi - angle : angle), y);
}

double hypot(double x, double y) {
  if (std::isinf(x) || std::isinf(y)) return HUGE_VAL;
  if (std::isnan(x) || std::isnan(y)) return not_a_number;
  const double a = std::max(std::abs(x), std::abs(y)), b = std::min(std::abs(x), std::abs(y));
  // A shorter side below 2^-30 of the longer one adds less than half a unit in the last place.
  if (b <= 0x1p-30 * a) return a;
  if (a > 0x1p500) return 0x1p600 * hypot(0x1p-600 * a, 0x1p-600 * b);
  if (b < 0x1p-400) return 0x1p-600 * hypot(0x1p600 * a, 0x1p600 * b);
  // One step of Newton's method with the exact residual of the rounded root.
  const double root = std::sqrt(a * a + b * b);
  const TwoTerms<double> a_sq = two_product(a, a), b_sq = two_product(b, b), root_sq = two_product(root, root);
  const double residual = (a_sq.value - root_sq.value + b_sq.value) + (a_sq.error - root_sq.error + b_sq.error);
  return root + residual / (2.0 * root);
}

double sinh(double x) {
  if (std::isnan(x)) return x;
  if (std::abs(x) <= 0.5) return static_cast<double>(hyperbolic_sine_series(x));
  const Extended e = exponential(std::clamp(x, -1000.0, 1000.0));
  return static_cast<double>((e - 1 / e) / 2);
}

double cosh(double x) {
  if (std::isnan(x)) return x;
  const Extended e = exponential(std::clamp(x, -1000.0, 1000.0));
  return static_cast<double>((e + 1 / e) / 2);
}

double tanh(double x) {
  if (std::isnan(x)) return x;
  if (std::abs(x) <= 0.5) {
    const Extended s = hyperbolic_sine_series(x);
    return static_cast<double>(s / sqrt(1 + s * s));
  }
  const Extended size = exponential(2 * std::min<Extended>(std::abs(x), 1000)), value = 1 - 2 / (size + 1);
  return std::copysign(static_cast<double>(value), x);
}

}  // namespace clearance::elementary
