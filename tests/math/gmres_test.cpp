#include "clearance/math/gmres.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace clearance {
namespace {

Eigen::MatrixXd random_matrix(int rows, int columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd matrix(rows, columns);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) matrix(i, j) = normal(random);
  }
  return matrix;
}

TEST(Gmres, SolvesUnsymmetricSystemsThatAreNearlyTheIdentity) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Eigen::MatrixXd k = 0.05 * random_matrix(30, 30, seed);
    const VecX b = random_matrix(30, 1, seed + 100);
    const VecX x = solve_identity_plus([&](const VecX& d) { return VecX(k * d); }, b, 1e-10, 30);
    EXPECT_LE((b - x - k * x).norm(), 1.01e-10 * b.norm()) << "seed " << seed;
  }
}

TEST(Gmres, TakesOneDirectionMoreThanTheRankOfLargePerturbations) {
  const int n = 200, rank = 4;
  const Eigen::MatrixXd k = 100.0 * random_matrix(n, rank, 1) * random_matrix(rank, n, 2);
  const VecX b = random_matrix(n, 1, 3);
  int count = 0;
  const auto apply = [&](const VecX& d) {
    ++count;
    return VecX(k * d);
  };
  const VecX x = solve_identity_plus(apply, b, 1e-8, 20);
  EXPECT_LE((b - x - k * x).norm(), 1e-6 * b.norm());
  EXPECT_LE(count, rank + 2);
}

TEST(Gmres, OfZeroIsZeroAndUnsolvableSystemsGiveTheNearestFinitePoint) {
  const VecX zero = VecX::Zero(5);
  EXPECT_EQ(solve_identity_plus([](const VecX& d) { return VecX(d); }, zero, 1e-6, 5), zero);
  // x - x = b
  const VecX b = VecX::Ones(5);
  const VecX x = solve_identity_plus([](const VecX& d) { return VecX(-d); }, b, 1e-6, 5);
  EXPECT_TRUE(x.allFinite());
}

}  // namespace
}  // namespace clearance
