// Numbers with 64 bits of mantissa, whose sums, products, quotients and roots are rounded to nearest, ties to even: the
// extended precision of x86 processors, and the same by integers for all others.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace clearance {

/// A number of extended precision made of integers. The range of exponents is that of an int, so nothing overflows
/// before it becomes a double; there are two zeros and two infinities, but no NaN: 0 / 0 and the like may not occur.
class SoftExtended {
 public:
  constexpr SoftExtended() = default;
  constexpr SoftExtended(double x) : is_negative_(std::bit_cast<std::uint64_t>(x) >> 63 != 0) {
    const std::uint64_t words = std::bit_cast<std::uint64_t>(x), fraction = words & 0x000fffffffffffff;
    const int biased = static_cast<int>(words >> 52) & 0x7ff;
    if (biased == 0x7ff) {
      *this = infinity(is_negative_);
    } else {
      // Numbers with a biased exponent of zero lack the leading bit.
      *this =
          rounded(is_negative_, biased == 0 ? fraction : fraction | 1ULL << 52, biased == 0 ? -1074 : biased - 1075);
    }
  }
  constexpr SoftExtended(int x) : SoftExtended(static_cast<double>(x)) {}

  /// Returns mantissa 2^exponent, exactly.
  static constexpr SoftExtended of(std::uint64_t mantissa, int exponent) { return rounded(false, mantissa, exponent); }

  /// Rounds to a double, to nearest, ties to even; what is too large becomes infinite.
  explicit operator double() const {
    if (is_infinite()) return is_negative_ ? -HUGE_VAL : HUGE_VAL;
    // Small numbers have fewer than 53 bits. Beyond 65 bits nothing of the number is left.
    const int leading = exponent_ + 63, dropped = leading < -1022 ? 11 + (-1022 - leading) : 11;
    const Words kept = dropped > 65 ? 0 : shifted(mantissa_, dropped);
    return std::copysign(std::ldexp(static_cast<double>(kept), exponent_ + dropped), is_negative_ ? -1.0 : 1.0);
  }

  constexpr SoftExtended operator-() const {
    SoftExtended result = *this;
    result.is_negative_ = !is_negative_;
    return result;
  }
  friend constexpr SoftExtended operator+(const SoftExtended& a, const SoftExtended& b) {
    if (a.is_infinite() || b.mantissa_ == 0) return b.mantissa_ == 0 && a.mantissa_ == 0 ? zero_sum(a, b) : a;
    if (b.is_infinite() || a.mantissa_ == 0) return b;
    if (size_is_less(a, b)) return b + a;
    // The smaller one is moved below the larger one. A bit stands for all that it loses; with 62 bits between that and
    // the last bit of the result, rounding cannot tell the difference.
    const int distance = a.exponent_ - b.exponent_;
    Words moved = distance > 126 ? 0 : static_cast<Words>(b.mantissa_) << 62 >> distance;
    if (distance > 126 || moved << distance != static_cast<Words>(b.mantissa_) << 62) moved |= 1;
    const Words base = static_cast<Words>(a.mantissa_) << 62;
    const bool adds = a.is_negative_ == b.is_negative_;
    const Words sum = adds ? base + moved : base - moved;
    return rounded(sum != 0 && a.is_negative_, sum, a.exponent_ - 62);
  }
  friend constexpr SoftExtended operator-(const SoftExtended& a, const SoftExtended& b) { return a + -b; }
  friend constexpr SoftExtended operator*(const SoftExtended& a, const SoftExtended& b) {
    const bool is_negative = a.is_negative_ != b.is_negative_;
    if (a.is_infinite() || b.is_infinite()) return infinity(is_negative);
    return rounded(is_negative, static_cast<Words>(a.mantissa_) * b.mantissa_, a.exponent_ + b.exponent_);
  }
  friend constexpr SoftExtended operator/(const SoftExtended& a, const SoftExtended& b) {
    const bool is_negative = a.is_negative_ != b.is_negative_;
    if (a.is_infinite() || b.mantissa_ == 0) return infinity(is_negative);
    if (b.is_infinite()) return rounded(is_negative, 0, 0);
    // The quotient has 64 bits at least; two more and one for the remainder decide how it is rounded.
    const Words dividend = static_cast<Words>(a.mantissa_) << 64, rest = (dividend % b.mantissa_) << 2;
    const Words quotient = (dividend / b.mantissa_) << 3 | (rest / b.mantissa_) << 1;
    return rounded(is_negative, quotient | (rest % b.mantissa_ != 0 ? 1U : 0U), a.exponent_ - b.exponent_ - 67);
  }
  constexpr SoftExtended& operator*=(const SoftExtended& b) { return *this = *this * b; }

  friend constexpr bool operator==(const SoftExtended& a, const SoftExtended& b) {
    if (a.mantissa_ == 0 && b.mantissa_ == 0) return true;
    return a.is_negative_ == b.is_negative_ && a.exponent_ == b.exponent_ && a.mantissa_ == b.mantissa_;
  }
  friend constexpr bool operator<(const SoftExtended& a, const SoftExtended& b) {
    const bool a_below = a.is_negative_ && a.mantissa_ != 0, b_below = b.is_negative_ && b.mantissa_ != 0;
    if (a_below != b_below) return a_below;
    return a_below ? size_is_less(b, a) : size_is_less(a, b);
  }
  friend constexpr bool operator>(const SoftExtended& a, const SoftExtended& b) { return b < a; }

  friend constexpr SoftExtended abs(const SoftExtended& a) { return a.is_negative_ ? -a : a; }
  friend constexpr SoftExtended ldexp(const SoftExtended& a, int power) {
    SoftExtended result = a;
    if (a.mantissa_ != 0 && !a.is_infinite()) result.exponent_ += power;
    return result;
  }
  /// Splits a > 0 into a number from 1/2 to 1, which is returned, and a power of two.
  friend constexpr SoftExtended frexp(const SoftExtended& a, int* power) {
    *power = a.exponent_ + 64;
    return ldexp(a, -*power);
  }
  /// Returns the square root of a >= 0.
  friend constexpr SoftExtended sqrt(const SoftExtended& a) {
    if (a.mantissa_ == 0 || a.is_infinite()) return a;
    // The root of 128 or 127 bits, bit by bit. A root never lies in the middle between two numbers of 64 bits.
    const int odd = (a.exponent_ & 1) != 0 ? 1 : 0;
    const Words square = static_cast<Words>(a.mantissa_) << (64 - odd);
    std::uint64_t root = 0;
    for (int bit = 63; bit >= 0; --bit) {
      const std::uint64_t trial = root | 1ULL << bit;
      if (static_cast<Words>(trial) * trial <= square) root = trial;
    }
    const bool rounds_up = square - static_cast<Words>(root) * root > root;
    return rounded(false, static_cast<Words>(root) + (rounds_up ? 1 : 0), (a.exponent_ - 64 + odd) / 2);
  }
  /// Returns the largest integer that is at most a, for |a| < 2^31.
  friend constexpr int floor_to_int(const SoftExtended& a) {
    if (a.mantissa_ == 0) return 0;
    const int dropped = -a.exponent_;
    const std::uint64_t whole = dropped > 63 ? 0 : a.mantissa_ >> dropped;
    const bool is_whole = dropped <= 63 && whole << dropped == a.mantissa_;
    const auto size = static_cast<int>(whole);
    return a.is_negative_ ? -size - (is_whole ? 0 : 1) : size;
  }

 private:
  __extension__ using Words = unsigned __int128;
  static constexpr int infinite_exponent = std::numeric_limits<int>::max();

  static constexpr SoftExtended infinity(bool is_negative) {
    SoftExtended result;
    result.is_negative_ = is_negative;
    result.mantissa_ = 1ULL << 63;
    result.exponent_ = infinite_exponent;
    return result;
  }
  /// Returns the sum of two zeros, which is negative if both are.
  static constexpr SoftExtended zero_sum(const SoftExtended& a, const SoftExtended& b) {
    return a.is_negative_ && b.is_negative_ ? a : abs(a);
  }
  constexpr bool is_infinite() const { return exponent_ == infinite_exponent; }
  static constexpr bool size_is_less(const SoftExtended& a, const SoftExtended& b) {
    if (a.mantissa_ == 0 || b.mantissa_ == 0) return a.mantissa_ == 0 && b.mantissa_ != 0;
    return a.exponent_ != b.exponent_ ? a.exponent_ < b.exponent_ : a.mantissa_ < b.mantissa_;
  }

  /// Returns words 2^-count, rounded to nearest, ties to even, for count from 1 to 127.
  static constexpr Words shifted(Words words, int count) {
    const Words whole = words >> count, rest = words - (whole << count), half = static_cast<Words>(1) << (count - 1);
    return whole + (rest > half || (rest == half && (whole & 1) != 0) ? 1 : 0);
  }
  /// Returns words 2^exponent, rounded to 64 bits.
  static constexpr SoftExtended rounded(bool is_negative, Words words, int exponent) {
    SoftExtended result;
    result.is_negative_ = is_negative;
    if (words == 0) return result;
    const auto high = static_cast<std::uint64_t>(words >> 64);
    const int length =
        high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(static_cast<std::uint64_t>(words));
    if (length > 64) {
      words = shifted(words, length - 64);
      exponent += length - 64;
      // All ones became the next power of two.
      if (words >> 64 != 0) words >>= 1, ++exponent;
    } else {
      words <<= 64 - length;
      exponent -= 64 - length;
    }
    result.mantissa_ = static_cast<std::uint64_t>(words);
    result.exponent_ = exponent;
    return result;
  }

  // The number is (-1)^is_negative mantissa 2^exponent; the first bit of the mantissa is set unless the number is zero.
  bool is_negative_ = false;
  std::uint64_t mantissa_ = 0;
  int exponent_ = 0;
};

#if __LDBL_MANT_DIG__ == 64
using Extended = long double;
/// Returns mantissa 2^exponent.
constexpr Extended make_extended(std::uint64_t mantissa, int exponent) {
  Extended value = mantissa;
  for (; exponent < 0; ++exponent) value /= 2;
  for (; exponent > 0; --exponent) value *= 2;
  return value;
}
inline int floor_to_int(Extended x) {
  return static_cast<int>(std::floor(x));
}
#else
using Extended = SoftExtended;
constexpr Extended make_extended(std::uint64_t mantissa, int exponent) {
  return SoftExtended::of(mantissa, exponent);
}
#endif

}  // namespace clearance
