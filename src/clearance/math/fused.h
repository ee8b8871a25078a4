// Fused multiply-add a b + c, rounded once, for four numbers at a time, emulated by other operations for processors
// without the instruction; the bits are the same.
#pragma once

#include "clearance/math/error_free.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace clearance {

namespace fused_detail {

#if defined(__FP_FAST_FMA)
inline constexpr bool has_instruction = true;
#else
inline constexpr bool has_instruction = false;
#endif

/// Returns the sum if it is a double, else that of its two neighbours whose last bit is set.
CLEARANCE_INLINE Lanes sum_rounded_to_odd(const Lanes& a, const Lanes& b) {
  const TwoTerms<Lanes> sum = two_sum(a, b);
  const LaneWords words = words_of(sum.value), is_even = (words & 1) - 1;
  const LaneWords is_inexact = reinterpret_cast<LaneWords>(((sum.error > Lanes(0.0)) | (sum.error < Lanes(0.0))).bits);
  const LaneWords is_too_large = (words ^ words_of(sum.error)) >> 63;
  return number_of(words + (is_inexact & is_even & (1 - 2 * is_too_large)));
}

CLEARANCE_INLINE Lanes lane_by_lane(const Lanes& a, const Lanes& b, const Lanes& c) {
  return Lanes(Lanes::Vector{std::fma(a[0], b[0], c[0]), std::fma(a[1], b[1], c[1]), std::fma(a[2], b[2], c[2]),
                             std::fma(a[3], b[3], c[3])});
}

}  // namespace fused_detail

CLEARANCE_INLINE Lanes fused_multiply_add(const Lanes& a, const Lanes& b, const Lanes& c) {
  using namespace fused_detail;
  if constexpr (has_instruction) return lane_by_lane(a, b, c);
  // The method of [Bol08] is exact within a range of exponents. Outside of it the library's emulation, which is slow,
  // takes over.
  constexpr double largest = 0x1p960, smallest = 0x1p-960;
  const TwoTerms<Lanes> product = two_product(a, b);
  const Lanes size = absolute(product.value), size_a = absolute(a), size_b = absolute(b);
  const LaneMask is_zero = !((size_a > Lanes(0.0)) & (size_b > Lanes(0.0)));
  const LaneMask is_bounded =
      (size_a < Lanes(largest)) & (size_b < Lanes(largest)) & (size < Lanes(largest)) & (absolute(c) < Lanes(largest));
  if (any_lane(!(is_bounded & (is_zero | (size > Lanes(smallest)))))) return lane_by_lane(a, b, c);
  const TwoTerms<Lanes> low = two_sum(c, product.error), high = two_sum(product.value, low.value);
  return select(is_zero, product.value + c, high.value + sum_rounded_to_odd(low.error, high.error));
}

}  // namespace clearance

#pragma GCC diagnostic pop
