#include "clearance/math/fused.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace clearance {
namespace {

void expect_fused(double a, double b, double c) {
  const double expected = std::fma(a, b, c), value = fused_multiply_add(Lanes(a), Lanes(b), Lanes(c))[3];
  if (std::isnan(expected) && std::isnan(value)) return;
  ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << a << " " << b << " " << c;
}

TEST(Fused, MultiplyAdd_HasTheBitsOfTheLibrary) {
  std::mt19937_64 rng(31);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int i = 0; i < 300'000; ++i) {
    const double a = uniform(rng), b = uniform(rng), scale = std::ldexp(1.0, -static_cast<int>(rng() % 130));
    expect_fused(a, b, uniform(rng));
    expect_fused(a, b, uniform(rng) * scale);
    expect_fused(a * scale, b, uniform(rng));
    // Test cancellation, and ties: products of short numbers.
    expect_fused(a, b, -a * b);
    expect_fused(static_cast<float>(a), static_cast<float>(b), std::round(64.0 * uniform(rng)) * scale);
    // Test everything: the smallest and largest numbers, infinite ones, not a number.
    expect_fused(std::bit_cast<double>(rng()), std::bit_cast<double>(rng()), std::bit_cast<double>(rng()));
    expect_fused(a * 0x1p-600, b * 0x1p-470, uniform(rng) * 0x1p-1030);
  }
}

TEST(Fused, MultiplyAdd_KeepsSignsOfZero) {
  for (const double a : {0.0, -0.0, 1.0, -1.0}) {
    for (const double b : {0.0, -0.0, 1.0}) {
      for (const double c : {0.0, -0.0, 1.0, -1.0}) expect_fused(a, b, c);
    }
  }
}

}  // namespace
}  // namespace clearance
