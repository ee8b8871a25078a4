#include "clearance/math/rotation.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::relative_difference;

constexpr double pi = 3.14159265358979323846;

Vec<3> random_direction(std::mt19937_64& rng) {
  std::normal_distribution<double> normal;
  return Vec<3>(normal(rng), normal(rng), normal(rng)).normalized();
}

/// The angles range from none to many turns, and lie on both sides of where the formulas change.
const std::vector<double> angles = {0.0,       1e-200,    1e-20, 1e-9, 1e-4, 0.1, 1.0,
                                    1.9999999, 2.0000001, 3.0,   3.9,  4.1,  50.0};

TEST(Sinc, Derivatives_AgreeWithSeriesInHigherPrecision) {
  for (const double x : {0.0, 1e-30, 1e-5, 0.01, 0.5, 1.0, 1.9, 2.0, 2.1, 3.0, 5.0, 12.0}) {
    // The terms of the series grow to e^x before they fall: 64 bits of mantissa leave enough up to 12.
    long double value = 0, first = 0, second = 0, term = 1;
    const long double u = static_cast<long double>(x) * x;
    for (int k = 0; k < 60; ++k) {
      value += term;
      // term is (-u)^k / (2k + 1)!; derivatives by u without dividing by u
      long double previous = 1;
      for (int i = 1; i <= k; ++i) previous *= (i == 1 ? -1 : -u) / (2.0L * i * (2.0L * i + 1.0L));
      if (k >= 1) first += 2.0L * k * previous;
      long double before = 1;
      for (int i = 1; i <= k; ++i) before *= (i == 1 ? -1 : i == 2 ? -1 : -u) / (2.0L * i * (2.0L * i + 1.0L));
      if (k >= 2) second += 4.0L * k * (k - 1) * before;
      term *= -u / (2.0L * (k + 1) * (2.0L * (k + 1) + 1.0L));
    }
    const SincDerivatives sinc = sinc_derivatives(x);
    EXPECT_NEAR(sinc.value, static_cast<double>(value), 3e-16) << x;
    EXPECT_NEAR(sinc.first, static_cast<double>(first), 3e-16) << x;
    EXPECT_NEAR(sinc.second, static_cast<double>(second), 3e-16) << x;
  }
}

TEST(Rotation, FromVector_IsARotationByItsLengthAboutItself) {
  std::mt19937_64 rng(1);
  for (const double angle : angles) {
    const Vec<3> axis = random_direction(rng), w = angle * axis;
    const RotationDerivatives r = rotation_derivatives(w);
    EXPECT_LT((r.value.transpose() * r.value - Mat<3>::Identity()).norm(), 1e-14 * (1.0 + angle));
    EXPECT_NEAR(r.value.determinant(), 1.0, 1e-14 * (1.0 + angle));
    EXPECT_LT((r.value * axis - axis).norm(), 1e-14);
    EXPECT_NEAR(r.value.trace(), 1.0 + 2.0 * std::cos(angle), 1e-14 * (1.0 + angle));
    EXPECT_LT((r.value - rotation_from_vector(w)).norm(), 1e-14 * (1.0 + angle));
  }
}

TEST(Rotation, Derivatives_MatchFiniteDifferences) {
  std::mt19937_64 rng(2);
  for (const double angle : angles) {
    const Vec<3> w = angle * random_direction(rng);
    const RotationDerivatives r = rotation_derivatives(w);
    const auto value = [](const VecX& v) { return VecX(rotation_derivatives(v).value.reshaped()); };
    const MatX first = test::finite_difference_jacobian(value, w);
    for (int i = 0; i < 3; ++i) {
      EXPECT_LT(relative_difference(VecX(r.first[i].reshaped()), VecX(first.col(i))), 1e-8) << angle;
      const auto derivative = [i](const VecX& v) { return VecX(rotation_derivatives(v).first[i].reshaped()); };
      const MatX second = test::finite_difference_jacobian(derivative, w);
      for (int j = 0; j < 3; ++j) {
        EXPECT_LT(relative_difference(VecX(r.second[i][j].reshaped()), VecX(second.col(j))), 1e-8) << angle;
      }
    }
  }
}

TEST(Rotation, DerivativesAtRest_AreThoseOfTheExponential) {
  std::mt19937_64 rng(3);
  const RotationDerivatives r = rotation_derivatives(Vec<3>::Zero());
  const Vec<3> w = random_direction(rng);
  Mat<3> first = Mat<3>::Zero(), second = Mat<3>::Zero();
  for (int i = 0; i < 3; ++i) {
    first += w[i] * r.first[i];
    for (int j = 0; j < 3; ++j) second += w[i] * w[j] * r.second[i][j];
  }
  EXPECT_LT((first - cross_matrix(w)).norm(), 1e-15);
  EXPECT_LT((second - cross_matrix(w) * cross_matrix(w)).norm(), 1e-15);
}

TEST(Rotation, LogarithmOfExponential_IsTheVector) {
  std::mt19937_64 rng(4);
  for (const double angle : {0.0, 1e-300, 1e-12, 1e-6, 0.3, 1.0, 2.0, 3.0, 3.14, pi - 1e-9}) {
    const Vec<3> w = angle * random_direction(rng);
    EXPECT_LT((rotation_vector(rotation_from_vector(w)) - w).norm(), 1e-14 + 1e-15 * angle) << angle;
    EXPECT_LT((rotation_vector(rotation_from_vector(w)) - w).norm(), 1e-6 * angle + 1e-300) << angle;
  }
}

TEST(Rotation, LogarithmOfHalfATurn_IsAlongItsAxis) {
  for (int i = 0; i < 3; ++i) {
    Mat<3> half = -Mat<3>::Identity();
    half(i, i) = 1.0;
    const Vec<3> w = rotation_vector(half);
    EXPECT_NEAR(std::abs(w[i]), pi, 1e-15);
    EXPECT_NEAR(w.norm(), pi, 1e-15);
  }
}

TEST(Rotation, PlaneAngle_RoundTripsAndDerivesByQuarterTurns) {
  for (const double w : {-3.0, -1.0, 0.0, 1e-12, 0.5, 3.1}) {
    EXPECT_NEAR(rotation_angle(rotation_by<2>(w)), w, 1e-15);
    const Mat<3> in_space = rotation_from_vector(Vec<3>(0, 0, w));
    EXPECT_LT((rotation_by<2>(w) - in_space.topLeftCorner<2, 2>()).norm(), 1e-15);
    const auto value = [](const VecX& v) { return VecX(rotation_by<2>(v[0]).reshaped()); };
    const Mat<2> quarter = rotation_by<2>(w) * rotation_by<2>(0.5 * pi);
    EXPECT_LT(relative_difference(VecX(test::finite_difference_jacobian(value, VecX::Constant(1, w))),
                                  VecX(quarter.reshaped())),
              1e-9);
  }
}

}  // namespace
}  // namespace clearance
