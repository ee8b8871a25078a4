#include "clearance/math/interval.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <random>

#include "clearance/math/rotation.h"

namespace clearance {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest = std::numeric_limits<double>::denorm_min();

/// Draws zeros, small integers, ordinary numbers, and the ends of the range of doubles.
double random_number(std::mt19937_64& rng) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(-323.0, 308.0);
  switch (rng() % 6) {
    case 0:
      return static_cast<double>(static_cast<int>(rng() % 9) - 4);
    case 1:
      return std::pow(10.0, exponent(rng)) * (rng() % 2 == 0 ? 1.0 : -1.0);
    case 2:
      return rng() % 2 == 0 ? largest : -smallest;
    case 3:
      return std::ldexp(normal(rng), -1040);
    default:
      return normal(rng);
  }
}

Interval random_interval(std::mt19937_64& rng) {
  const double a = random_number(rng), b = rng() % 3 == 0 ? a : random_number(rng);
  return {std::min(a, b), std::max(a, b)};
}

double random_inside(const Interval& a, std::mt19937_64& rng) {
  const double t = std::uniform_real_distribution<double>(0.0, 1.0)(rng);
  if (rng() % 3 == 0) return rng() % 2 == 0 ? a.lo : a.hi;
  return std::clamp((1.0 - t) * a.lo + t * a.hi, a.lo, a.hi);
}

bool contains(const Interval& a, const mpq_class& x) {
  return (a.lo == -inf || mpq_class(a.lo) <= x) && (a.hi == inf || x <= mpq_class(a.hi));
}
/// 80-bit references are good to a thousandth of the last place of a double.
bool contains(const Interval& a, long double x) {
  return a.lo <= x && x <= a.hi;
}

TEST(Interval, Neighbours_AreNextToEachOther) {
  std::mt19937_64 rng(1);
  for (int trial = 0; trial < 1000; ++trial) {
    const double x = random_number(rng);
    EXPECT_EQ(next_below(x), std::nextafter(x, -inf));
    EXPECT_EQ(next_above(x), std::nextafter(x, inf));
  }
  EXPECT_EQ(next_below(inf), largest);
  EXPECT_EQ(next_below(-largest), -inf);
  EXPECT_EQ(next_below(-inf), -inf);
}

TEST(Interval, Arithmetic_EnclosesExactResults) {
  const unsigned seed = 2;
  std::mt19937_64 rng(seed);
  for (int trial = 0; trial < 20000; ++trial) {
    const Interval a = random_interval(rng), b = random_interval(rng);
    const double p = random_inside(a, rng), q = random_inside(b, rng);
    const mpq_class x(p), y(q);
    ASSERT_TRUE(contains(a + b, mpq_class(x + y))) << p << " + " << q << ", seed " << seed;
    ASSERT_TRUE(contains(a - b, mpq_class(x - y))) << p << " - " << q << ", seed " << seed;
    ASSERT_TRUE(contains(a * b, mpq_class(x * y))) << p << " * " << q << ", seed " << seed;
    ASSERT_TRUE(contains(square(a), mpq_class(x * x))) << p << " squared, seed " << seed;
    ASSERT_TRUE(contains(abs(a), mpq_class(::abs(x)))) << p << " absolute, seed " << seed;
    if (q != 0.0) {
      ASSERT_TRUE(contains(a / b, mpq_class(x / y))) << p << " / " << q << ", seed " << seed;
    }
    if (p >= 0.0) {
      const Interval root = sqrt(a);
      ASSERT_TRUE(mpq_class(root.lo) * mpq_class(root.lo) <= x) << "root of " << p << ", seed " << seed;
      ASSERT_TRUE(root.hi == inf || mpq_class(root.hi) * mpq_class(root.hi) >= x) << "root of " << p;
    }
  }
}

TEST(Interval, Arithmetic_IsAsTightAsDoublesAllow) {
  std::mt19937_64 rng(3);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 5000; ++trial) {
    const double p = normal(rng), q = normal(rng);
    const auto expect_tight = [](const Interval& a, const mpq_class& exact) {
      EXPECT_TRUE(contains(a, exact));
      EXPECT_TRUE(exact == mpq_class(a.lo) ? a.hi == a.lo : a.hi == next_above(a.lo));
    };
    expect_tight(Interval(p) + Interval(q), mpq_class(p) + mpq_class(q));
    expect_tight(Interval(p) * Interval(q), mpq_class(p) * mpq_class(q));
    expect_tight(Interval(p) / Interval(q), mpq_class(p) / mpq_class(q));
  }
  EXPECT_EQ(Interval(0.5) * Interval(3.0), Interval(1.5));
  EXPECT_EQ(Interval(0.0) * Interval::everything(), Interval(0.0));
  EXPECT_EQ(sqrt(Interval(9.0)), Interval(3.0));
  EXPECT_EQ(square(Interval(-2.0, 1.0)), Interval(0.0, 4.0));
}

TEST(Interval, OverflowAndDivisionByZero_GiveUnboundedIntervals) {
  EXPECT_EQ((Interval(largest) + Interval(largest)), Interval(largest, inf));
  EXPECT_EQ((Interval(largest) * Interval(-2.0)), Interval(-inf, -largest));
  EXPECT_EQ(Interval(1.0) / Interval(-1.0, 1.0), Interval::everything());
  EXPECT_EQ(Interval(1.0) / Interval(0.0), Interval::everything());
  EXPECT_EQ(Interval(inf) - Interval(inf), Interval::everything());
  EXPECT_EQ(sqrt(Interval(-2.0, -1.0)), Interval::everything());
}

TEST(Interval, Comparisons_HoldForAllNumbers) {
  EXPECT_TRUE(certainly_less(Interval(1, 2), Interval(3, 4)));
  EXPECT_FALSE(certainly_less(Interval(1, 3), Interval(3, 4)));
  EXPECT_TRUE(certainly_less_equal(Interval(1, 3), Interval(3, 4)));
  EXPECT_TRUE(overlap(Interval(1, 3), Interval(3, 4)));
  EXPECT_FALSE(overlap(Interval(1, 2), Interval(3, 4)));
  EXPECT_EQ(hull(Interval(1, 2), Interval(4)), Interval(1, 4));
  EXPECT_EQ(common_part(Interval(1, 3), Interval(2, 4)), Interval(2, 3));
}

long double reference_first(long double x) {
  return (std::cos(x) - std::sin(x) / x) / (x * x);
}
long double reference_second(long double x) {
  return ((3 / (x * x) - 1) * std::sin(x) / x - 3 * std::cos(x) / (x * x)) / (x * x);
}

TEST(Interval, SineAndCosine_EncloseThoseOfAllNumbers) {
  const unsigned seed = 4;
  std::mt19937_64 rng(seed);
  for (int trial = 0; trial < 20000; ++trial) {
    const double scale = std::pow(10.0, static_cast<double>(rng() % 12) - 4.0);
    std::normal_distribution<double> normal(0.0, scale);
    const double lo = normal(rng), width = rng() % 2 == 0 ? 0.0 : std::abs(normal(rng));
    const Interval a(lo, lo + width);
    const double x = random_inside(a, rng);
    ASSERT_TRUE(contains(sin(a), std::sin(static_cast<long double>(x)))) << x << ", seed " << seed;
    ASSERT_TRUE(contains(cos(a), std::cos(static_cast<long double>(x)))) << x << ", seed " << seed;
    if (width == 0.0) {
      ASSERT_LE(sin(a).width(), 1e-15);
    }
  }
  EXPECT_EQ(sin(Interval(0.0, 2.0)).hi, 1.0);
  EXPECT_EQ(cos(Interval(-1.0, 2.0)).hi, 1.0);
  EXPECT_EQ(cos(Interval(3.0, 4.0)).lo, -1.0);
  EXPECT_NEAR(sin(Interval(0.5, 1.0)).hi, std::sin(1.0), 1e-15);
  EXPECT_EQ(sin(Interval(0.0, 10.0)), Interval(-1.0, 1.0));
  EXPECT_EQ(sin(Interval::everything()), Interval(-1.0, 1.0));
}

TEST(Interval, SincFunctions_EncloseThoseOfAllNumbers) {
  const unsigned seed = 5;
  std::mt19937_64 rng(seed);
  for (int trial = 0; trial < 20000; ++trial) {
    const double scale = std::pow(10.0, static_cast<double>(rng() % 5) - 2.0);
    std::normal_distribution<double> normal(0.0, scale);
    const double lo = normal(rng), width = rng() % 2 == 0 ? 0.0 : std::abs(normal(rng));
    const Interval a(lo, lo + width);
    const double x = random_inside(a, rng);
    if (x == 0.0) continue;
    const long double y = x;
    ASSERT_TRUE(contains(sinc(a), std::sin(y) / y)) << x << ", seed " << seed;
    // The references of the derivatives lose too many digits close to zero.
    if (std::abs(x) > 0.3) {
      ASSERT_TRUE(contains(sinc_first(a), reference_first(y))) << x << ", seed " << seed;
    }
    if (std::abs(x) > 0.6) {
      ASSERT_TRUE(contains(sinc_second(a), reference_second(y))) << x << ", seed " << seed;
    }
    const SincDerivatives derivatives = sinc_derivatives(x);
    const double near = 1e-15;
    ASSERT_TRUE(overlap(sinc_first(a), Interval(derivatives.first - near, derivatives.first + near))) << x;
    ASSERT_TRUE(overlap(sinc_second(a), Interval(derivatives.second - near, derivatives.second + near))) << x;
    if (width == 0.0) {
      ASSERT_LE(sinc(a).width(), 4e-15) << x;
      ASSERT_LE(sinc_first(a).width(), 4e-15) << x;
      ASSERT_LE(sinc_second(a).width(), 4e-15) << x;
    }
  }
}

TEST(Interval, SincAroundZero_StaysNarrow) {
  const Interval around_zero(-1e-9, 1e-7);
  for (const Interval& value : {sinc(around_zero), sinc_first(around_zero), sinc_second(around_zero)}) {
    EXPECT_LT(value.width(), 1e-13);
  }
  EXPECT_TRUE(sinc(Interval(0.0)).contains(1.0));
  EXPECT_TRUE(sinc(Interval(smallest)).contains(1.0));
  EXPECT_LE(sinc(Interval(smallest)).width(), 1e-15);
  EXPECT_TRUE(contains(sinc_first(Interval(-1.0, 0.0)), mpq_class(-1, 3)));
  EXPECT_TRUE(contains(sinc_second(Interval(0.0, 1.0)), mpq_class(1, 15)));
  EXPECT_TRUE(sinc(Interval::everything()).contains(Interval(-0.2172, 1.0)));
}

}  // namespace
}  // namespace clearance
