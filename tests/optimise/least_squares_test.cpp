#include "clearance/optimise/least_squares.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <random>

#include "clearance/optimise/student.h"

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

/// A damped oscillator that is released: its frequency follows from the product of stiffness and a function of another
/// number, which alone does little more. The valley of the cost is narrow and curved.
TEST(LeastSquares, ACurvedValleyTakesFewEvaluations) {
  const auto deflection = [](const VecX& p, double t) {
    const double squared = p[0] * (1.0 + 0.8 * p[2] + 0.6 * p[2] * p[2]),
                 fast = squared * std::pow(6.0 - 2.0 * p[2], 2);
    const auto mode = [&](double omega_sq) {
      return std::exp(-0.5 * p[1] * omega_sq * t) * std::cos(std::sqrt(omega_sq) * t);
    };
    return -9.81 / squared * (1.0 - mode(squared)) - 0.3 / squared * mode(fast);
  };
  const VecX truth{{1000.0, 0.004, 0.35}};
  const auto function = [&](const VecX& p) -> std::optional<Residuals> {
    Residuals residuals{VecX(40), MatX(40, 3)};
    for (int k = 0; k < 40; ++k) {
      const double t = 0.025 * (k + 1), deviation = 2.5e-5;
      residuals.r[k] = (deflection(p, t) - deflection(truth, t)) / deviation;
      for (int i = 0; i < 3; ++i) {
        VecX more = p, less = p;
        const double h = 1e-6 * truth[i];
        more[i] += h;
        less[i] -= h;
        residuals.jacobian(k, i) = (deflection(more, t) - deflection(less, t)) / (2.0 * h * deviation);
      }
    }
    return residuals;
  };
  for (const VecX& start : {VecX{{1500.0, 0.002, 0.35}}, VecX{{500.0, 0.01, 0.1}}, VecX{{1200.0, 0.008, 0.45}},
                            VecX{{900.0, 0.002, 0.2}}, VecX{{2000.0, 0.004, 0.3}}}) {
    const LeastSquares found =
        minimise(function, start, {VecX{{100.0, 0.0, 0.0}}, VecX{{1e4, 0.05, 0.49}}, start, 60, 1e-9}, never);
    EXPECT_EQ(found.end, LeastSquaresEnd::converged) << start.transpose();
    EXPECT_LT((found.p - truth).cwiseQuotient(truth).norm(), 1e-5) << start.transpose();
  }
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

/// Parts of a step beyond a bound were cut off, and the others kept as they suit a place where the step does not end:
/// where the columns of the Jacobian are nearly parallel, the search crept along the bound.
TEST(LeastSquares, OtherParametersConvergeBesideOneAtItsBound) {
  MatX a(6, 3);
  for (int i = 0; i < 6; ++i) a.row(i) << 1.0, 0.1 * i, 1.0 + 0.01 * i * i + 0.1 * i;
  const VecX b = a * VecX{{1.0, 2.0, 3.0}};
  const auto function = [&](const VecX& p) -> std::optional<Residuals> { return Residuals{a * p - b, a}; };
  LeastSquaresOptions options = unbounded(3);
  options.upper[2] = 2.5;
  const LeastSquares found = minimise(function, VecX{{0.5, 0.5, 1.0}}, options, never);
  EXPECT_EQ(found.end, LeastSquaresEnd::converged);
  EXPECT_EQ(found.p[2], 2.5);
  const VecX expected = a.leftCols(2).colPivHouseholderQr().solve(b - 2.5 * a.col(2));
  EXPECT_LT((found.p.head(2) - expected).norm(), 1e-6);
  EXPECT_LE(found.num_evaluations, 8);
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
  EXPECT_TRUE(found.untold.empty());
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
  ASSERT_EQ(found.untold.size(), 1U);
  EXPECT_NEAR(std::abs(found.untold[0][0]), std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(found.untold[0][0], found.untold[0][1], 1e-9);
  EXPECT_TRUE(std::isnan(found.covariance(0, 0)));
}

/// One number that no measurement depends on took the deviations of all others.
TEST(LeastSquares, UntoldNumbersLeaveTheOthersTheirDeviations) {
  MatX jacobian = MatX::Zero(10, 4);
  for (int i = 0; i < 10; ++i) jacobian.row(i) << 1.0, 0.0, 0.1 * i, 0.2 * i;
  const VecX sizes{{1.0, 5.0, 2.0, 3.0}};
  const Uncertainty found = find_uncertainty(jacobian, sizes, {1, 1, 1, 1});
  EXPECT_EQ(found.num_told, 2);
  ASSERT_EQ(found.untold.size(), 2U);
  // One combination is the second number alone, the other has the third and the fourth.
  const int alone = std::abs(found.untold[0][1]) > 0.5 ? 0 : 1;
  EXPECT_NEAR(std::abs(found.untold[alone][1]), 1.0, 1e-9);
  EXPECT_NEAR(found.untold[1 - alone][1], 0.0, 1e-9);
  EXPECT_NEAR(found.untold[1 - alone][0], 0.0, 1e-9);
  EXPECT_TRUE(std::isnan(found.covariance(1, 1)));
  EXPECT_TRUE(std::isnan(found.covariance(2, 2)));
  EXPECT_TRUE(std::isnan(found.covariance(0, 3)));
  // The first number has the deviation that it has beside a slope.
  double sum = 0.0, sum_sq = 0.0;
  for (int i = 0; i < 10; ++i) sum += 0.1 * i, sum_sq += 0.01 * i * i;
  EXPECT_NEAR(found.covariance(0, 0), sum_sq / (10.0 * sum_sq - sum * sum), 1e-9);
}

/// With errors of 2 % of each reading, the variance that all residuals share is too small for readings that are large
/// and tell the slope: intervals of 95 % held the truth in 86 % of 4000 cases.
TEST(LeastSquares, IntervalsHoldTheTruthForErrorsOfEachReading) {
  constexpr int num_cases = 2000, num_readings = 20;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  int num_inside = 0;
  for (int k = 0; k < num_cases; ++k) {
    // y = p t^2 with p = 1.
    VecX squares(num_readings), y(num_readings);
    for (int i = 0; i < num_readings; ++i) {
      squares[i] = std::pow(0.05 * (i + 1), 2);
      y[i] = squares[i] * (1.0 + 0.02 * normal(random));
    }
    const double p = squares.dot(y) / squares.squaredNorm();
    const Residuals residuals{p * squares - y, squares};
    const Uncertainty found = find_scattered_uncertainty(residuals, VecX::Ones(1), {1});
    num_inside += std::abs(p - 1.0) <= student_95(num_readings - 1) * std::sqrt(found.covariance(0, 0)) ? 1 : 0;
  }
  EXPECT_GT(num_inside, 0.91 * num_cases);
  EXPECT_LT(num_inside, 0.98 * num_cases);
}

TEST(LeastSquares, AsManyResidualsAsNumbersTellNoScatter) {
  const Residuals residuals{VecX{{0.0, 0.0}}, MatX{{1.0, 0.0}, {1.0, 1.0}}};
  const Uncertainty found = find_scattered_uncertainty(residuals, VecX::Ones(2), {1, 1});
  EXPECT_TRUE(std::isnan(found.covariance(0, 0)));
}

/// The residuals have kinks all over, as those of a film of a body that friction stops. The search went on until its
/// runs were used up, over changes of a millionth of the deviation.
TEST(LeastSquares, KinksEndTheSearchOnceNothingIsGained) {
  const auto function = [](const VecX& p) -> std::optional<Residuals> {
    Residuals residuals{VecX(3), MatX(3, 1)};
    residuals.r << 1.0 + 1e-6 * std::abs(p[0] - 0.3), p[0] - 0.3 - 1e-3, p[0] - 0.3 + 1e-3;
    residuals.jacobian << (p[0] > 0.3 ? 1e-6 : -1e-6), 1.0, 1.0;
    return residuals;
  };
  const LeastSquares found = minimise(function, VecX{{1.0}}, unbounded(1), never);
  EXPECT_EQ(found.end, LeastSquaresEnd::converged);
  EXPECT_NEAR(found.p[0], 0.3, 1e-6);
  EXPECT_LT(found.num_evaluations, 12);
}

/// The minimum is beyond the numbers that have results: the end of the search was called converged.
TEST(LeastSquares, ASearchThatRunsIntoUndefinedResidualsIsBlocked) {
  const auto function = [](const VecX& p) -> std::optional<Residuals> {
    if (!(p[0] > 1.0)) return std::nullopt;
    return Residuals{VecX{{p[0]}}, MatX{{1.0}}};
  };
  const LeastSquares found = minimise(function, VecX{{3.0}}, unbounded(1), never);
  EXPECT_EQ(found.end, LeastSquaresEnd::blocked);
  EXPECT_NEAR(found.p[0], 1.0, 1e-3);
}

/// [Abr72, table 26.10]
TEST(Student, QuantilesAreThoseOfTables) {
  EXPECT_NEAR(student_95(1), 12.706205, 1e-5);
  EXPECT_NEAR(student_95(2), 4.302653, 1e-6);
  EXPECT_NEAR(student_95(5), 2.570582, 1e-6);
  EXPECT_NEAR(student_95(10), 2.228139, 1e-6);
  EXPECT_NEAR(student_95(25), 2.059539, 1e-6);
  EXPECT_NEAR(student_95(200), 1.971896, 1e-6);
  EXPECT_NEAR(student_95(201), 1.971837, 1e-6);
  EXPECT_NEAR(student_95(100000000), normal_95, 1e-6);
}

}  // namespace
}  // namespace clearance::optimise
