#include "clearance/study/convergence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace clearance::study {
namespace {

/// Returns limit + amount * 2^(-order level).
std::vector<double> sequence(double limit, double amount, double order, int num_levels) {
  std::vector<double> values;
  for (int i = 0; i < num_levels; ++i) values.push_back(limit + amount * std::exp2(-order * i));
  return values;
}

TEST(Convergence, FindsOrderAndLimitOfPowers) {
  for (const double order : {0.6, 1.0, 2.0, 3.5}) {
    for (const double amount : {0.4, -0.4}) {
      const Estimate found = estimate_convergence(sequence(3.0, amount, order, 4), {});
      EXPECT_EQ(found.verdict, Verdict::converges);
      EXPECT_NEAR(*found.order, order, 1e-6);
      EXPECT_NEAR(*found.extrapolated, 3.0, 1e-9);
      EXPECT_NEAR(*found.error_of_first, 0.4 / 3.0, 1e-9);
      EXPECT_NEAR(*found.error_of_finest, 0.4 / 3.0 * std::exp2(-3.0 * order), 1e-9);
      EXPECT_EQ(found.differences.size(), 3U);
    }
  }
}

TEST(Convergence, ErrorsOfPositionsAreSharesOfTheWay) {
  // A point that starts at 10 and moves by 1.
  const Estimate found = estimate_convergence(sequence(11.0, 0.1, 1.0, 3), {10.0, 1.0, 1e-3});
  EXPECT_NEAR(*found.error_of_first, 0.1, 1e-9);
}

TEST(Convergence, TellsWhatDoesNotConverge) {
  const auto verdict_of = [](const std::vector<double>& values) { return estimate_convergence(values, {}).verdict; };
  EXPECT_EQ(verdict_of({1.0, 2.0, 4.0}), Verdict::diverges);
  EXPECT_EQ(verdict_of({1.0, 2.0, 0.5}), Verdict::diverges);
  EXPECT_EQ(verdict_of({1.0, 2.0, 1.7}), Verdict::alternates);
  EXPECT_EQ(verdict_of({1.0, 2.0, 2.8}), Verdict::slow);
  // A contact force that ends: Richardson would tell of a negative one.
  EXPECT_EQ(verdict_of({106.9, 18.8, 0.0}), Verdict::slow);
  EXPECT_EQ(verdict_of({1.0, std::numeric_limits<double>::quiet_NaN(), 2.0}), Verdict::unknown);
  EXPECT_EQ(verdict_of({1.0, 2.0}), Verdict::unknown);
  // Without a limit there are no errors.
  EXPECT_FALSE(estimate_convergence({1.0, 2.0, 4.0}, {}).extrapolated);
  EXPECT_FALSE(estimate_convergence({1.0, 2.0, 4.0}, {}).error_of_first);
}

TEST(Convergence, DifferencesBelowTheToleranceHaveSettled) {
  const Estimate found = estimate_convergence({5.0, 5.001, 5.0}, {});
  EXPECT_EQ(found.verdict, Verdict::settled);
  EXPECT_DOUBLE_EQ(*found.extrapolated, 5.0);
  EXPECT_NEAR(*found.error_of_finest, 0.001 / 5.001, 1e-12);
  EXPECT_EQ(estimate_convergence({0.0, 0.0, 0.0}, {}).verdict, Verdict::settled);
  // A component that is nothing beside the others is noise, even if it happens to halve.
  EXPECT_EQ(estimate_convergence({4e-9, 2e-9, 1e-9}, {0.0, 1.0, 1e-3}).verdict, Verdict::settled);
}

}  // namespace
}  // namespace clearance::study
