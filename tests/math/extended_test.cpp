#include "clearance/math/extended.h"

#include <gtest/gtest.h>

#include <random>

namespace clearance {
namespace {

#if __LDBL_MANT_DIG__ == 64

/// A number in the processor's extended precision, and in that of integers.
struct Pair {
  long double hard;
  SoftExtended soft;
};

/// Draws mantissas with all bits, few bits, or nearly all bits set, near each other or far apart.
class Numbers {
 public:
  Pair next() {
    std::uint64_t mantissa = rng_();
    if (rng_() % 4 == 0) mantissa = 1ULL << (rng_() % 64);
    if (rng_() % 4 == 0) mantissa = ~0ULL << (rng_() % 64);
    if (rng_() % 8 == 0) mantissa = 0;
    const int range = rng_() % 2 == 0 ? 4 : 140, exponent = static_cast<int>(rng_() % range) - range / 2;
    const bool is_negative = rng_() % 2 == 0;
    const long double size = std::ldexp(static_cast<long double>(mantissa), exponent);
    const SoftExtended soft = SoftExtended::of(mantissa, exponent);
    return {is_negative ? -size : size, is_negative ? -soft : soft};
  }

 private:
  std::mt19937_64 rng_{5};
};

/// True if both numbers have the same bits.
bool agree(const SoftExtended& soft, long double hard) {
  if (std::isinf(hard)) return soft == SoftExtended(static_cast<double>(hard));
  int exponent = 0;
  const long double fraction = std::frexp(std::abs(hard), &exponent);
  const SoftExtended size = SoftExtended::of(static_cast<std::uint64_t>(std::ldexp(fraction, 64)), exponent - 64);
  return soft == (hard < 0 ? -size : size) &&
         (hard != 0 || std::signbit(static_cast<double>(soft)) == std::signbit(hard));
}

TEST(SoftExtended, RoundsAsTheProcessorDoes) {
  Numbers numbers;
  for (int i = 0; i < 300'000; ++i) {
    const Pair a = numbers.next(), b = numbers.next();
    ASSERT_TRUE(agree(a.soft + b.soft, a.hard + b.hard)) << i;
    ASSERT_TRUE(agree(a.soft - b.soft, a.hard - b.hard)) << i;
    ASSERT_TRUE(agree(a.soft * b.soft, a.hard * b.hard)) << i;
    if (a.hard != 0 || b.hard != 0) {
      ASSERT_TRUE(agree(a.soft / b.soft, a.hard / b.hard)) << i;
    }
    ASSERT_TRUE(agree(sqrt(abs(a.soft)), std::sqrt(std::abs(a.hard)))) << i;
    ASSERT_EQ(a.soft < b.soft, a.hard < b.hard) << i;
    ASSERT_EQ(a.soft == b.soft, a.hard == b.hard) << i;
    if (std::abs(a.hard) < 0x1p31L) {
      ASSERT_EQ(floor_to_int(a.soft), floor_to_int(a.hard)) << i;
    }
  }
}

TEST(SoftExtended, BecomesTheDoubleThatTheProcessorRoundsTo) {
  std::mt19937_64 rng(7);
  for (int i = 0; i < 300'000; ++i) {
    // Exponents reach beyond all doubles, and ties occur.
    std::uint64_t mantissa = rng() | 1ULL << 63;
    if (rng() % 2 == 0) mantissa = (mantissa & ~0x7ffULL) | 0x400;
    const int exponent = static_cast<int>(rng() % 2300) - 1200;
    const double hard = static_cast<double>(std::ldexp(static_cast<long double>(mantissa), exponent));
    ASSERT_EQ(static_cast<double>(SoftExtended::of(mantissa, exponent)), hard) << mantissa << " " << exponent;
    // A double becomes itself.
    ASSERT_EQ(static_cast<double>(SoftExtended(hard)), hard);
  }
  EXPECT_EQ(static_cast<double>(SoftExtended(-HUGE_VAL)), -HUGE_VAL);
}

#endif

TEST(Extended, ConstantsAreRoundedToNearest) {
  EXPECT_EQ(static_cast<double>(make_extended(0xc90fdaa22168c235, -62)), M_PI);
  EXPECT_EQ(static_cast<double>(make_extended(0x935d8dddaaa8ac17, -62)), M_LN10);
}

}  // namespace
}  // namespace clearance
