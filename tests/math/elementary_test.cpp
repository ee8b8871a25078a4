#include "clearance/math/elementary.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "clearance/math/logarithm.h"

namespace clearance {
namespace {

/// Returns the error in units of the last place of the value in extended precision.
double error_ulp(double value, long double exact) {
  if (std::isnan(value) || std::isnan(exact)) return std::isnan(value) == std::isnan(exact) ? 0.0 : HUGE_VAL;
  if (value == static_cast<double>(exact)) return 0.5;
  int exponent = 0;
  std::frexp(exact, &exponent);
  return static_cast<double>(std::abs(value - exact) / std::ldexp(1.0L, std::max(exponent - 53, -1074)));
}

/// Draws numbers of every size, of some typical size, and near zero and one.
class Arguments {
 public:
  double next(double typical) {
    switch (++count_ % 4) {
      case 0:
        for (;;) {
          const double x = std::bit_cast<double>(rng_());
          if (std::isfinite(x)) return x;
        }
      case 1:
        return uniform(typical);
      case 2:
        return std::ldexp(uniform(1.0), -static_cast<int>(rng_() % 60));
      default:
        return 1.0 + std::ldexp(uniform(1.0), -static_cast<int>(rng_() % 53));
    }
  }
  double uniform(double size) { return std::uniform_real_distribution<double>(-size, size)(rng_); }

 private:
  std::mt19937_64 rng_{21};
  long count_ = 0;
};

struct Function {
  const char* name;
  double (*own)(double);
  long double (*reference)(long double);
  double typical;
};
const Function functions[] = {{"exp", elementary::exp, std::exp, 750},     {"log", elementary::log, std::log, 10},
                              {"log10", elementary::log10, std::log10, 9}, {"log1p", elementary::log1p, std::log1p, 2},
                              {"sin", elementary::sin, std::sin, 100},     {"cos", elementary::cos, std::cos, 100},
                              {"tan", elementary::tan, std::tan, 100},     {"asin", elementary::asin, std::asin, 1},
                              {"acos", elementary::acos, std::acos, 1},    {"atan", elementary::atan, std::atan, 10},
                              {"sinh", elementary::sinh, std::sinh, 750},  {"cosh", elementary::cosh, std::cosh, 750},
                              {"tanh", elementary::tanh, std::tanh, 5}};

constexpr int num_arguments = 200'000;
constexpr double special[] = {0.0, -0.0, 1.0, -1.0, HUGE_VAL, -HUGE_VAL, NAN, 5e-324, 1e308};

TEST(Elementary, ErrorsAreBelowTheirBound) {
  for (const Function& f : functions) {
    Arguments arguments;
    double worst = 0.0;
    for (int i = 0; i < num_arguments; ++i) {
      const double x = arguments.next(f.typical);
      worst = std::max(worst, error_ulp(f.own(x), f.reference(x)));
    }
    EXPECT_LT(worst, 0.51) << f.name;
  }
}

TEST(Elementary, ErrorsOfTwoArgumentsAreBelowTheirBound) {
  Arguments arguments;
  double worst_angle = 0.0, worst_power = 0.0;
  for (int i = 0; i < num_arguments; ++i) {
    const double y = arguments.next(3), x = arguments.next(3);
    worst_angle = std::max(worst_angle, error_ulp(elementary::atan2(y, x), std::atan2((long double)y, (long double)x)));
    const double base = std::abs(arguments.next(5)), power = arguments.uniform(i % 2 == 0 ? 5 : 400);
    const long double exact = std::pow((long double)base, (long double)power);
    worst_power = std::max(worst_power, error_ulp(elementary::pow(base, power), exact));
  }
  EXPECT_LT(worst_angle, 0.51);
  EXPECT_LT(worst_power, 1.2);
}

TEST(Elementary, SpecialValuesAreThoseOfTheLibrary) {
  for (const Function& f : functions) {
    for (const double x : special) {
      const auto expected = static_cast<double>(f.reference(x));
      EXPECT_EQ(std::isnan(f.own(x)), std::isnan(expected)) << f.name << " of " << x;
      if (!std::isnan(expected)) {
        EXPECT_EQ(f.own(x), expected) << f.name << " of " << x;
      }
    }
  }
  for (const double x : special) {
    for (const double y : special) {
      const double angle = std::atan2(y, x), power = std::pow(x, y);
      if (!std::isnan(angle)) {
        EXPECT_EQ(elementary::atan2(y, x), angle) << y << " " << x;
        EXPECT_EQ(std::signbit(elementary::atan2(y, x)), std::signbit(angle)) << y << " " << x;
      }
      if (!std::isnan(power)) {
        EXPECT_EQ(elementary::pow(x, y), power) << x << "^" << y;
      }
    }
  }
  EXPECT_TRUE(std::isnan(elementary::pow(-2.0, 0.5)));
}

TEST(Elementary, HypotenuseIsRoundedToNearest) {
  Arguments arguments;
  double worst = 0.0;
  for (int i = 0; i < num_arguments; ++i) {
    // Any ratio of the sides, at sizes whose squares do not fit into a double, too.
    const double x = arguments.next(3), y = i % 2 == 0 ? x * arguments.uniform(2.0) : arguments.next(3);
    const double value = elementary::hypot(x, y);
    // Subnormal numbers are rounded twice.
    if (value >= 0x1p-1022) worst = std::max(worst, error_ulp(value, std::hypot((long double)x, (long double)y)));
    ASSERT_EQ(value, elementary::hypot(-y, x));
  }
  EXPECT_LT(worst, 0.501);
  for (const double x : special) {
    for (const double y : special) {
      EXPECT_EQ(std::isnan(elementary::hypot(x, y)), std::isnan(std::hypot(x, y))) << x << " " << y;
      if (!std::isnan(std::hypot(x, y))) {
        EXPECT_EQ(elementary::hypot(x, y), std::hypot(x, y)) << x << " " << y;
      }
    }
  }
}

TEST(Elementary, WholeResultsAreExact) {
  EXPECT_EQ(elementary::pow(-3.0, 3.0), -27.0);
  EXPECT_EQ(elementary::pow(-2.0, -2.0), 0.25);
  EXPECT_EQ(elementary::pow(2.0, 100.0), 0x1p100);
  EXPECT_EQ(elementary::pow(81.0, 0.25), 3.0);
  EXPECT_EQ(elementary::pow(10.0, 22.0), 1e22);
  for (int k = -20; k <= 20; ++k) EXPECT_EQ(elementary::log10(std::stod("1e" + std::to_string(k))), k);
}

TEST(Logarithm, ErrorIsBelowAUnitInEveryLane) {
  Arguments arguments;
  double worst = 0.0;
  for (int i = 0; i < num_arguments; ++i) {
    Lanes x;
    for (int lane = 0; lane < num_lanes; ++lane) x.set(lane, std::abs(arguments.next(10)));
    const Lanes value = logarithm(x);
    for (int lane = 0; lane < num_lanes; ++lane) {
      worst = std::max(worst, error_ulp(value[lane], std::log((long double)x[lane])));
      ASSERT_EQ(std::bit_cast<std::uint64_t>(value[lane]), std::bit_cast<std::uint64_t>(logarithm(x[lane]))) << x[lane];
    }
  }
  EXPECT_LT(worst, 0.9);
}

TEST(Logarithm, SpecialValuesAreThoseOfTheLibrary) {
  for (const double x : special) {
    EXPECT_EQ(std::isnan(logarithm(x)), std::isnan(std::log(x))) << x;
    if (!std::isnan(std::log(x))) {
      EXPECT_EQ(logarithm(x), std::log(x)) << x;
    }
  }
}

}  // namespace
}  // namespace clearance
