#include "clearance/contact/barrier.h"

#include <gtest/gtest.h>

#include "contact/contact_models.h"

namespace clearance {
namespace {

using test::Random;

BarrierOptions random_options(Random& random) {
  BarrierOptions options;
  options.dhat = std::pow(10.0, random.uniform(-4.0, 1.0));
  options.min_separation = random.integer(0, 1) == 0 ? 0.0 : options.dhat * random.uniform(0.0, 3.0);
  return options;
}

/// Returns the squared distance at which the gap is `fraction` of dhat.
double distance_sq_at(const BarrierOptions& options, double fraction) {
  const double d = options.min_separation + fraction * options.dhat;
  return d * d;
}

}  // namespace

TEST(Barrier, DerivativesMatchFiniteDifferences) {
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    const BarrierOptions options = random_options(random);
    const double distance_sq = distance_sq_at(options, random.uniform(0.05, 0.95));
    const double step = 1e-4 * (distance_sq - options.min_separation * options.min_separation);
    const BarrierValue ahead = barrier_derivatives(distance_sq + step, options);
    const BarrierValue behind = barrier_derivatives(distance_sq - step, options);
    const BarrierValue b = barrier_derivatives(distance_sq, options);
    EXPECT_EQ(b.value, barrier(distance_sq, options));
    EXPECT_LT(b.first, 0.0);
    EXPECT_GT(b.second, 0.0);
    EXPECT_NEAR((ahead.value - behind.value) / (2.0 * step) / b.first, 1.0, 1e-6) << options.min_separation;
    EXPECT_NEAR((ahead.first - behind.first) / (2.0 * step) / b.second, 1.0, 1e-6) << options.min_separation;
  }
}

TEST(Barrier, ZeroFromTheActivationDistanceOn) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const BarrierOptions options = random_options(random);
    for (double fraction : {1.0 + 1e-12, 1.5, 100.0}) {
      const BarrierValue b = barrier_derivatives(distance_sq_at(options, fraction), options);
      EXPECT_EQ(b.value, 0.0);
      EXPECT_EQ(b.first, 0.0);
      EXPECT_EQ(b.second, 0.0);
      EXPECT_EQ(barrier(distance_sq_at(options, fraction), options), 0.0);
    }
  }
}

TEST(Barrier, TwiceContinuouslyDifferentiableAtTheActivationDistance) {
  // Near s_hat, with u = s_hat - s: b = u^3 / s_hat + ..., b' = -3 u^2 / s_hat, b'' = 6 u / s_hat.
  BarrierOptions options;
  options.dhat = 0.01;
  options.min_separation = 0.02;
  const double s_hat = options.dhat * (options.dhat + 2.0 * options.min_separation);
  for (double relative : {1e-2, 1e-3, 1e-4}) {
    const double u = relative * s_hat;
    const BarrierValue b = barrier_derivatives(options.activation_sq() - u, options);
    EXPECT_NEAR(b.value / (u * u * u / s_hat), 1.0, 2.0 * relative + 1e-10);
    EXPECT_NEAR(b.first / (-3.0 * u * u / s_hat), 1.0, 2.0 * relative + 1e-10);
    EXPECT_NEAR(b.second / (6.0 * u / s_hat), 1.0, 2.0 * relative + 1e-10);
  }
}

TEST(Barrier, InfiniteAtAndBelowTheMinimalSeparation) {
  BarrierOptions options;
  EXPECT_EQ(barrier(0.0, options), infinity);
  options.min_separation = 0.25;
  for (double d : {0.25, 0.2, 0.0}) {
    EXPECT_EQ(barrier(d * d, options), infinity);
    EXPECT_EQ(barrier_derivatives(d * d, options).value, infinity);
    EXPECT_EQ(barrier_derivatives(d * d, options).first, -infinity);
  }
  EXPECT_TRUE(std::isfinite(barrier(0.2500001 * 0.2500001, options)));
}

TEST(Barrier, NotANumberIsNeverAccepted) {
  // A broken distance must not look like the absence of a contact.
  const double value = barrier(std::nan(""), BarrierOptions());
  EXPECT_FALSE(std::isfinite(value));
}

TEST(Barrier, FallsWithTheDistanceAndIsConvex) {
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    const BarrierOptions options = random_options(random);
    BarrierValue previous = {infinity, -infinity, infinity};
    for (double fraction = 1e-6; fraction < 1.0; fraction += 0.01) {
      const BarrierValue b = barrier_derivatives(distance_sq_at(options, fraction), options);
      EXPECT_LT(b.value, previous.value);
      EXPECT_GT(b.first, previous.first);
      EXPECT_LT(b.second, previous.second);
      previous = b;
    }
  }
}

TEST(Barrier, ScalesAsTheFourthPowerOfLength) {
  // [Fer23, app. A.10]: b is in m^4, so a scene in other units of length has the same barrier up to L^4.
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    const BarrierOptions options = random_options(random);
    const double scale = std::exp2(random.integer(-20, 20));
    BarrierOptions scaled = options;
    scaled.dhat *= scale;
    scaled.min_separation *= scale;
    const double distance_sq = distance_sq_at(options, random.uniform(0.01, 0.99));
    const BarrierValue b = barrier_derivatives(distance_sq, options);
    const BarrierValue c = barrier_derivatives(distance_sq * scale * scale, scaled);
    EXPECT_DOUBLE_EQ(c.value, b.value * std::pow(scale, 4));
    EXPECT_DOUBLE_EQ(c.first, b.first * scale * scale);
    EXPECT_DOUBLE_EQ(c.second, b.second);
  }
}

TEST(Barrier, ActivationIsMeasuredFromTheMinimalSeparation) {
  BarrierOptions options;
  options.dhat = 0.125;
  options.min_separation = 0.5;
  EXPECT_DOUBLE_EQ(options.activation_sq(), 0.625 * 0.625);
  EXPECT_GT(barrier(0.62 * 0.62, options), 0.0);
  EXPECT_EQ(barrier(0.63 * 0.63, options), 0.0);
}

}  // namespace clearance
