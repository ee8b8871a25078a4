#include "clearance/optimise/minimise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "optimise/minimise_cases.h"

namespace clearance::optimise {
namespace {

/// The banana-shaped valley of Rosenbrock in any number of pairs.
std::optional<Slope> valley(const VecX& x) {
  Slope slope{0.0, VecX::Zero(x.size())};
  for (Eigen::Index i = 0; i + 1 < x.size(); i += 2) {
    const double a = 1.0 - x[i], b = x[i + 1] - x[i] * x[i];
    slope.value += a * a + 100.0 * b * b;
    slope.gradient[i] += -2.0 * a - 400.0 * x[i] * b;
    slope.gradient[i + 1] += 200.0 * b;
  }
  return slope;
}

TEST(MinimiseSlope, FollowsTheCurvedValley) {
  VecX start(10);
  for (Eigen::Index i = 0; i < 10; i += 2) start.segment(i, 2) << -1.2, 1.0;
  const Minimum found = minimise(valley, start, options_for(10), {}, never);
  EXPECT_EQ(found.end, MinimumEnd::gradient);
  EXPECT_LT((found.x - VecX::Ones(10)).norm(), 1e-7);
  EXPECT_LT(found.num_evaluations, 120);
}

TEST(MinimiseSlope, StaysWithinBoundsAndFindsTheMinimumThere) {
  // A quadric whose free minimum (2, -3, 0.5) is outside: on the box it is (1, -1, ...).
  MatX matrix(3, 3);
  matrix << 4, 1, 0.5, 1, 3, -0.2, 0.5, -0.2, 2;
  const VecX centre = (VecX(3) << 2.0, -3.0, 0.5).finished();
  const SlopeFunction quadric = [&](const VecX& x) {
    EXPECT_TRUE((x.cwiseAbs().array() <= 1.0).all());
    const VecX d = x - centre;
    return std::optional<Slope>(Slope{0.5 * d.dot(matrix * d), matrix * d});
  };
  MinimiseOptions options = options_for(3);
  options.lower.setConstant(-1.0);
  options.upper.setConstant(1.0);
  options.gradient_tolerance = 1e-10;
  const Minimum found = minimise(quadric, VecX::Constant(3, -5.0), options, {}, never);
  EXPECT_EQ(found.end, MinimumEnd::gradient);
  // The conditions of a minimum within bounds: slopes of numbers at a bound lead out of it, others are zero.
  for (Eigen::Index i = 0; i < 3; ++i) {
    const double outwards = found.x[i] == 1.0 ? -1.0 : found.x[i] == -1.0 ? 1.0 : 0.0;
    if (outwards != 0.0) {
      EXPECT_GE(outwards * found.at.gradient[i], 0.0);
    } else {
      EXPECT_NEAR(found.at.gradient[i], 0.0, 1e-9);
    }
  }
  EXPECT_EQ(found.x[0], 1.0);
  EXPECT_EQ(found.x[1], -1.0);
}

TEST(MinimiseSlope, ChangesNoNumberByMoreThanAllowed) {
  MinimiseOptions options = options_for(2);
  options.max_change.setConstant(0.05);
  VecX last;
  const auto on_iterate = [&](const Iterate& iterate) {
    if (last.size() > 0) {
      EXPECT_LE((iterate.x - last).cwiseAbs().maxCoeff(), 0.05 + 1e-15);
    }
    last = iterate.x;
  };
  const Minimum found = minimise(valley, (VecX(2) << -1.2, 1.0).finished(), options, on_iterate, never);
  EXPECT_EQ(found.end, MinimumEnd::gradient);
  EXPECT_GT(found.num_iterations, 40);
}

TEST(MinimiseSlope, GoesAroundWhereTheFunctionIsNotDefined) {
  // x - ln x has a wall at 0, over which a step would jump.
  const SlopeFunction barrier = [](const VecX& x) -> std::optional<Slope> {
    if (!(x[0] > 0.0)) return std::nullopt;
    return Slope{x[0] - std::log(x[0]), VecX::Constant(1, 1.0 - 1.0 / x[0])};
  };
  const Minimum found = minimise(barrier, VecX::Constant(1, 20.0), options_for(1), {}, never);
  EXPECT_EQ(found.end, MinimumEnd::gradient);
  EXPECT_NEAR(found.x[0], 1.0, 1e-7);
  const Minimum outside = minimise(barrier, VecX::Constant(1, -1.0), options_for(1), {}, never);
  EXPECT_EQ(outside.end, MinimumEnd::undefined);
}

TEST(MinimiseSlope, LengthensStepsWhereTheFunctionBendsDownwards) {
  // -exp(-|x|^2 / 2) far from its minimum: steps whose changes have no curvature teach nothing.
  const SlopeFunction well = [](const VecX& x) {
    const double value = -std::exp(-0.5 * x.squaredNorm());
    return std::optional<Slope>(Slope{value, -value * x});
  };
  MinimiseOptions options = options_for(2);
  options.gradient_tolerance = 1e-8;
  const Minimum found = minimise(well, (VecX(2) << 3.0, 1.5).finished(), options, {}, never);
  EXPECT_EQ(found.end, MinimumEnd::gradient);
  EXPECT_LT(found.x.norm(), 1e-7);
  EXPECT_LT(found.num_evaluations, 40);
}

TEST(MinimiseSlope, TakesWholeStepsWithoutALineSearch) {
  MinimiseOptions options = options_for(2);
  options.searches_line = false;
  options.max_change.setConstant(0.1);
  options.max_iterations = 30;
  const Minimum found = minimise(valley, (VecX(2) << -1.2, 1.0).finished(), options, {}, never);
  EXPECT_EQ(found.num_evaluations, 31) << "one run an iteration";
}

TEST(MinimiseSlope, EndsWhereTheFunctionSaysSo) {
  const SlopeFunction bowl = [](const VecX& x) {
    return std::optional<Slope>(Slope{x.squaredNorm(), 2.0 * x, x.norm() < 0.5});
  };
  const Minimum found = minimise(bowl, VecX::Constant(2, 5.0), options_for(2), {}, never);
  EXPECT_EQ(found.end, MinimumEnd::conditions);
}

TEST(MinimiseSlope, GoesOnWithTheSameBitsFromRememberedValues) {
  RememberedSlope remembered(valley);
  const VecX start = (VecX(2) << -1.2, 1.0).finished();
  const Minimum whole = minimise(valley, start, options_for(2), {}, never);
  const Minimum stopped =
      minimise(std::ref(remembered), start, options_for(2), {}, [&] { return remembered.num_new() >= 10; });
  EXPECT_EQ(stopped.end, MinimumEnd::stopped);
  const Minimum resumed = minimise(std::ref(remembered), start, options_for(2), {}, never);
  EXPECT_EQ(resumed.x, whole.x);
  EXPECT_EQ(resumed.num_evaluations, whole.num_evaluations);
  EXPECT_EQ(remembered.num_new(), whole.num_evaluations);
}

}  // namespace
}  // namespace clearance::optimise
