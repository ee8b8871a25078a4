// The natural logarithm for kernels: of one number or of four, with the same bits on every processor.
#pragma once

#include "clearance/math/lanes.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace clearance {

/// Returns ln x with an error below 1 unit in the last place; minus infinity for zero, NaN for negative numbers.
template <class T>
CLEARANCE_INLINE T logarithm(const T& x) {
  constexpr std::uint64_t fraction_bits = 0x000fffffffffffff, one = 0x3ff0000000000000, root_half = 0x3fe6a09e00000000;

  // x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2); small numbers are scaled to have all their bits.
  const auto is_small = x < T(0x1p-1022);
  const auto words = words_of(select(is_small, x * T(0x1p54), x)) + (one - root_half);
  const T k = number_of((words >> 52) | words_of(0x1p52)) - select(is_small, T(0x1p52 + 1023 + 54), T(0x1p52 + 1023));
  const T f = number_of((words & fraction_bits) + root_half) - T(1.0);

  // ln(1 + f) = 2 artanh s = f - f^2/2 + s (f^2/2 + r), with s = f / (2 + f) and r the series of 2 artanh(s) / s after
  // its first term; |s| < 0.172, what follows the last term is below 2^-60.
  const T s = f / (T(2.0) + f), u = s * s, v = u * u;
  const auto series = [&](double a, double b, double c, double d, double e) {
    return T(a) + v * (T(b) + v * (T(c) + v * (T(d) + v * T(e))));
  };
  const T r = u * series(2.0 / 3, 2.0 / 7, 2.0 / 11, 2.0 / 15, 2.0 / 19) +
              v * series(2.0 / 5, 2.0 / 9, 2.0 / 13, 2.0 / 17, 2.0 / 21);

  // The first part of ln 2 has 33 bits, so that its product with k is exact.
  constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  const T half_sq = T(0.5) * f * f;
  const T value = k * T(ln2_high) - ((half_sq - (s * (half_sq + r) + k * T(ln2_low))) - f);

  const T limited = select(x < T(HUGE_VAL), value, x);
  return select(x > T(0.0), limited, select(x >= T(0.0), T(-HUGE_VAL), T(std::nan(""))));
}

}  // namespace clearance

#pragma GCC diagnostic pop
