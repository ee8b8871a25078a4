#include "clearance/optimise/moving_asymptotes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "optimise/minimise_cases.h"

namespace clearance::optimise {
namespace {

MinimiseOptions asymptotes_for(Eigen::Index size) {
  return options_for(size, MinimiseMethod::mma);
}

/// Compliance sum of a_i / x_i of bars whose volume, the sum of x_i, may not be above `volume`. `unit`: of the numbers.
SlopeFunction bars(const VecX& a, double volume, double unit = 1.0) {
  return [=](const VecX& x) -> std::optional<Slope> {
    if (!(x.array() > 0.0).all()) return std::nullopt;
    Slope slope{0.0, VecX::Zero(x.size())};
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      slope.value += a[i] * unit / x[i];
      slope.gradient[i] = -a[i] * unit / (x[i] * x[i]);
    }
    slope.constraints.push_back({x.sum() / unit - volume, VecX::Constant(x.size(), 1.0 / unit)});
    return slope;
  };
}

TEST(MovingAsymptotes, FindTheStiffestBarsOfAVolume) {
  // The minimum is at x_i = volume sqrt(a_i) / sum of sqrt(a_j), whatever the unit of the numbers.
  const VecX a = (VecX(4) << 1.0, 4.0, 9.0, 16.0).finished();
  for (const double unit : {1.0, 1e-3, 1e3}) {
    MinimiseOptions options = asymptotes_for(4);
    options.lower.setConstant(1e-3 * unit);
    options.upper.setConstant(10.0 * unit);
    options.gradient_tolerance = 1e-5 / unit;
    const Minimum found = minimise(bars(a, 5.0, unit), VecX::Constant(4, unit), options, {}, never);
    EXPECT_EQ(found.end, MinimumEnd::gradient);
    EXPECT_LT((found.x / unit - (VecX(4) << 0.5, 1.0, 1.5, 2.0).finished()).norm(), 1e-5);
    EXPECT_NEAR(found.at.value, 20.0, 1e-5);
    EXPECT_LT(found.num_evaluations, 60);
  }
}

TEST(MovingAsymptotes, EnterWhereConstraintsHoldAndKeepNearerWhereNothingIsDefined) {
  // The start has three times the volume, and half of the numbers may not be below 1.2.
  const VecX a = (VecX(4) << 1.0, 4.0, 9.0, 16.0).finished();
  MinimiseOptions options = asymptotes_for(4);
  options.lower << -infinity, 1.2, -infinity, 1.2;
  options.gradient_tolerance = 1e-5;
  const Minimum found = minimise(bars(a, 5.0), VecX::Constant(4, 4.0), options, {}, never);
  EXPECT_EQ(found.end, MinimumEnd::gradient);
  EXPECT_LE(found.at.constraints[0].value, 1e-6);
  // With x_1 at its bound the others share 3.8.
  EXPECT_LT((found.x - (VecX(4) << 0.475, 1.2, 1.425, 1.9).finished()).norm(), 1e-5);
}

TEST(MovingAsymptotes, MeetTwoCurvedConstraintsAtOnce) {
  // The lowest point with y >= (2 x)^3 and y >= (1 - x)^3 is their intersection at x = 1/3.
  const SlopeFunction corner = [](const VecX& x) -> std::optional<Slope> {
    if (!(x[1] > 0.0)) return std::nullopt;
    Slope slope{std::sqrt(x[1]), (VecX(2) << 0.0, 0.5 / std::sqrt(x[1])).finished()};
    for (const auto& [slant, shift] : {std::pair(2.0, 0.0), std::pair(-1.0, 1.0)}) {
      const double u = slant * x[0] + shift;
      slope.constraints.push_back({u * u * u - x[1], (VecX(2) << 3.0 * slant * u * u, -1.0).finished()});
    }
    return slope;
  };
  MinimiseOptions options = asymptotes_for(2);
  options.first_length = 1.0;
  options.gradient_tolerance = 1e-6;
  const Minimum found = minimise(corner, (VecX(2) << 1.234, 5.678).finished(), options, {}, never);
  EXPECT_EQ(found.end, MinimumEnd::gradient);
  EXPECT_NEAR(found.x[0], 1.0 / 3.0, 1e-6);
  EXPECT_NEAR(found.x[1], 8.0 / 27.0, 1e-6);
}

TEST(MovingAsymptotes, FindTheMinimumOfQuasiNewtonWithinBounds) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 5; ++trial) {
    MatX root(5, 5);
    for (double& entry : root.reshaped()) entry = normal(random);
    const MatX matrix = root * root.transpose() + MatX::Identity(5, 5);
    const VecX centre = VecX::NullaryExpr(5, [&] { return normal(random); });
    const SlopeFunction quadric = [&](const VecX& x) {
      return std::optional<Slope>(Slope{0.5 * (x - centre).dot(matrix * (x - centre)), matrix * (x - centre)});
    };
    MinimiseOptions options = asymptotes_for(5);
    options.lower.setConstant(-0.7);
    options.upper.setConstant(0.5);
    options.gradient_tolerance = 1e-6;
    const Minimum asymptotes = minimise(quadric, VecX::Zero(5), options, {}, never);
    options.method = MinimiseMethod::lbfgs;
    const Minimum newton = minimise(quadric, VecX::Zero(5), options, {}, never);
    EXPECT_EQ(asymptotes.end, MinimumEnd::gradient) << "trial " << trial;
    EXPECT_EQ(newton.end, MinimumEnd::gradient) << "trial " << trial;
    EXPECT_LT((asymptotes.x - newton.x).norm(), 1e-5) << "trial " << trial;
  }
}

TEST(MovingAsymptotes, GoOnWithTheSameBitsFromRememberedValues) {
  const VecX a = (VecX(4) << 1.0, 4.0, 9.0, 16.0).finished();
  const SlopeFunction function = bars(a, 5.0);
  RememberedSlope remembered(function);
  MinimiseOptions options = asymptotes_for(4);
  options.gradient_tolerance = 1e-5;
  std::vector<double> values;
  const auto on_iterate = [&](const Iterate& iterate) { values.push_back(iterate.value); };
  const Minimum whole = minimise(function, VecX::Ones(4), options, on_iterate, never);
  const std::vector<double> of_whole = std::exchange(values, {});
  const Minimum stopped =
      minimise(std::ref(remembered), VecX::Ones(4), options, {}, [&] { return remembered.num_new() >= 6; });
  EXPECT_EQ(stopped.end, MinimumEnd::stopped);
  const Minimum resumed = minimise(std::ref(remembered), VecX::Ones(4), options, on_iterate, never);
  EXPECT_EQ(resumed.x, whole.x);
  EXPECT_EQ(values, of_whole);
  EXPECT_EQ(remembered.num_new(), whole.num_evaluations) << "nothing is evaluated twice";
}

TEST(MovingAsymptotes, EndAtTheLimitAndBeforeUndefinedStarts) {
  const VecX a = (VecX(4) << 1.0, 4.0, 9.0, 16.0).finished();
  MinimiseOptions options = asymptotes_for(4);
  options.max_iterations = 3;
  EXPECT_EQ(minimise(bars(a, 5.0), VecX::Ones(4), options, {}, never).num_iterations, 3);
  EXPECT_EQ(minimise(bars(a, 5.0), -VecX::Ones(4), options, {}, never).end, MinimumEnd::undefined);
}

TEST(LagrangeGradient, VanishesAtMinimaAndNowhereElse) {
  MinimiseOptions options;
  options.lower = (VecX(3) << -infinity, 0.0, 0.0).finished();
  options.upper = VecX::Constant(3, infinity);
  const VecX x = (VecX(3) << 1.0, 0.0, 2.0).finished();
  // The second number is at its bound, and the slope leads out of it.
  Slope at{1.0, (VecX(3) << -2.0, 5.0, 1.0).finished()};
  EXPECT_DOUBLE_EQ(length_of_lagrange_gradient(x, at, options, {1e-6, 1e-6}), std::sqrt(5.0));
  at.constraints = {{0.0, (VecX(3) << 2.0, -1.0, 0.0).finished()}, {-1e-9, (VecX(3) << 0.0, 0.0, -0.5).finished()}};
  EXPECT_NEAR(length_of_lagrange_gradient(x, at, options, {1e-6, 1e-6}), 0.0, 1e-9);
  at.constraints[0].value = -1.0;
  EXPECT_NEAR(length_of_lagrange_gradient(x, at, options, {1e-6, 1e-6}), 2.0, 1e-9)
      << "a constraint with room holds nothing";
  at.constraints[0] = {0.0, (VecX(3) << -2.0, 0.0, 0.0).finished()};
  EXPECT_NEAR(length_of_lagrange_gradient(x, at, options, {1e-6, 1e-6}), 2.0, 1e-9) << "constraints do not pull";
}

}  // namespace
}  // namespace clearance::optimise
