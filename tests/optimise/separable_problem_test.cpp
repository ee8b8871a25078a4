#include "clearance/optimise/separable_problem.h"

#include <gtest/gtest.h>

#include <random>

namespace clearance::optimise {
namespace {

/// A random problem of `size` numbers and `count` constraints around 0, whose asymptotes are at -1 and 1.
SeparableProblem random_problem(std::mt19937& random, Eigen::Index size, Eigen::Index count) {
  std::uniform_real_distribution<double> share(0.01, 1.0);
  SeparableProblem problem;
  problem.p = MatX::NullaryExpr(count + 1, size, [&] { return share(random); });
  problem.q = MatX::NullaryExpr(count + 1, size, [&] { return share(random); });
  problem.low_asymptote = VecX::Constant(size, -1.0);
  problem.high_asymptote = VecX::Constant(size, 1.0);
  problem.lower = VecX::Constant(size, -0.9);
  problem.upper = VecX::Constant(size, 0.9);
  problem.constant = -problem.p.rowwise().sum() - problem.q.rowwise().sum();
  for (Eigen::Index i = 1; i <= count; ++i) problem.constant[i] += share(random) - 0.7;
  problem.cost = 1e5;
  return problem;
}

/// The objective with what violations cost.
double cost_at(const SeparableProblem& problem, const VecX& x) {
  const VecX f = problem.values(x), y = f.tail(f.size() - 1).cwiseMax(0.0);
  return f[0] + problem.cost * y.sum() + 0.5 * y.squaredNorm();
}

TEST(SeparableProblem, HasNoBetterPlaceNearby) {
  const unsigned seed = 11;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  int num_active = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Index count = trial % 4;
    const SeparableProblem problem = random_problem(random, 1 + trial % 7, count);
    const VecX x = problem.solve();
    const double cost = cost_at(problem, x);
    for (Eigen::Index i = 1; i <= count; ++i) num_active += std::abs(problem.values(x)[i]) < 1e-9 ? 1 : 0;
    for (const double length : {1e-1, 1e-3, 1e-5}) {
      for (int k = 0; k < 20; ++k) {
        const VecX change = VecX::NullaryExpr(x.size(), [&] { return length * normal(random); });
        const VecX there = (x + change).cwiseMax(problem.lower).cwiseMin(problem.upper);
        // Violations of 1e-13 cost 1e-8.
        EXPECT_GE(cost_at(problem, there), cost - 1e-7) << "seed " << seed << ", trial " << trial;
      }
    }
  }
  EXPECT_GT(num_active, 50) << "constraints decide some of the problems";
}

TEST(SeparableProblem, ViolatesAsLittleAsPossibleWhereConstraintsCannotBeMet) {
  // 1 / (1 - x) + 1 / (x + 1) is at least 2, at 0, and may not be above 1.
  SeparableProblem problem;
  problem.p = (MatX(2, 1) << 1.0, 1.0).finished();
  problem.q = (MatX(2, 1) << 0.1, 1.0).finished();
  problem.constant = (VecX(2) << 0.0, -1.0).finished();
  problem.low_asymptote = VecX::Constant(1, -1.0);
  problem.high_asymptote = VecX::Constant(1, 1.0);
  problem.lower = VecX::Constant(1, -0.9);
  problem.upper = VecX::Constant(1, 0.9);
  problem.cost = 1e5;
  EXPECT_NEAR(problem.solve()[0], 0.0, 1e-4);
}

}  // namespace
}  // namespace clearance::optimise
