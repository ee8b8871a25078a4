#include "clearance/optimise/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

namespace clearance::optimise {
namespace {

LeastSquaresOptions unbounded(Eigen::Index n) {
  return {VecX::Constant(n, -1e300), VecX::Constant(n, 1e300), VecX::Ones(n), 100, 1e-10};
}

bool never() {
  return false;
}

TEST(LeastSquares, RosenbrocksValleyEndsAtItsMinimum) {
  const auto function = [](const VecX& p) -> std::optional<Residuals> {
    Residuals residuals{VecX(2), MatX(2, 2)};
    residuals.r << 10.0 * (p[1] - p[0] * p[0]), 1.0 - p[0];
    residuals.jacobian << -20.0 * p[0], 10.0, -1.0, 0.0;
    return residuals;
  };
  const LeastSquares found = minimise(function, VecX{{-1.2, 1.0}}, unbounded(2), never);
  EXPECT_EQ(found.end, LeastSquaresEnd::converged);
  EXPECT_NEAR(found.p[0], 1.0, 1e-8);
  EXPECT_NEAR(found.p[1], 1.0, 1e-8);
}

TEST(LeastSquares, ABoundHoldsAParameterThatWantsBeyond) {
  const auto function = [](const VecX& p) -> std::optional<Residuals> {
    return Residuals{VecX{{p[0] - 3.0, p[0] + p[1] - 5.0}}, MatX{{1.0, 0.0}, {1.0, 1.0}}};
  };
  LeastSquaresOptions options = unbounded(2);
  options.upper[0] = 2.0;
  const LeastSquares found = minimise(function, VecX{{0.0, 0.0}}, options, never);
  EXPECT_EQ(found.end, LeastSquaresEnd::converged);
  EXPECT_EQ(found.p[0], 2.0);
  EXPECT_NEAR(found.p[1], 3.0, 1e-8);
}

TEST(LeastSquares, UndefinedResidualsShortenTheStep) {
  // The first step of Gauss and Newton leads to a negative number.
  const auto function = [](const VecX& p) -> std::optional<Residuals> {
    if (!(p[0] > 0.0)) return std::nullopt;
    return Residuals{VecX{{std::log(p[0])}}, MatX{{1.0 / p[0]}}};
  };
  const LeastSquares found = minimise(function, VecX{{20.0}}, unbounded(1), never);
  EXPECT_NEAR(found.p[0], 1.0, 1e-8);
}

/// The covariance of a thrown ball measured ten times, sigma^2 (J^T J)^-1 with sigma = 0.01.
TEST(LeastSquares, CovarianceIsThatOfTheNormalMatrix) {
  MatX jacobian(10, 3);
  for (int i = 0; i < 10; ++i) {
    const double t = 0.1 * (i + 1);
    jacobian.row(i) << 1.0, t, -0.5 * t * t;
  }
  const Uncertainty found = find_uncertainty(jacobian / 0.01, VecX::Ones(3), {1, 1, 1});
  EXPECT_EQ(found.untold.size(), 0);
  EXPECT_NEAR(std::sqrt(found.covariance(0, 0)), 0.011761519176251331, 1e-12);
  EXPECT_NEAR(std::sqrt(found.covariance(1, 1)), 0.04912106256870555, 1e-12);
  EXPECT_NEAR(std::sqrt(found.covariance(2, 2)), 0.08703882797784704, 1e-12);
  EXPECT_NEAR(found.covariance(1, 2), 0.004166666666666487, 1e-12);
}

TEST(LeastSquares, ACombinationThatTheDataDoNotTellIsFound) {
  // Only the ratio of two numbers counts: r = E / rho.
  const VecX sizes{{1e6, 1000.0}};
  MatX jacobian(3, 2);
  for (int i = 0; i < 3; ++i) jacobian.row(i) << (i + 1) / sizes[0], -(i + 1) / sizes[1];
  const Uncertainty found = find_uncertainty(jacobian, sizes, {1, 1});
  ASSERT_EQ(found.untold.size(), 2);
  EXPECT_NEAR(std::abs(found.untold[0]), std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(found.untold[0], found.untold[1], 1e-9);
  EXPECT_TRUE(std::isnan(found.covariance(0, 0)));
}

}  // namespace
}  // namespace clearance::optimise
