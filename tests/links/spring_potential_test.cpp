// The energy of springs and the potential of dampers: derivatives against differences, forces, locks.
#include "clearance/bodies/links/spring_potential.h"

#include <gtest/gtest.h>

#include <random>

#include "clearance/bodies/links/dashpot_potential.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

constexpr int num_blocks = 6;

bool always(double, double) {
  return true;
}

MatX dense(const BlockSparseMatrix& matrix) {
  MatX all(matrix.num_rows(), matrix.num_rows());
  for (int c = 0; c < matrix.num_rows(); ++c) {
    VecX unit = VecX::Zero(matrix.num_rows());
    unit[c] = 1.0;
    all.col(c) = matrix.multiply(unit);
  }
  return all;
}

VecX random_positions(int dim, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(-1.0, 1.0);
  VecX x(num_blocks * dim);
  for (double& value : x) value = place(random);
  return x;
}

Spring spring(std::vector<LinkTerm> terms, const Vec<3>& offset, double stiffness, double length, double tension) {
  Spring result;
  result.terms = std::move(terms);
  result.offset = offset;
  result.start_length = 0.5;
  result.stiffness = stiffness;
  result.length = length;
  result.tension = tension;
  result.is_active = always;
  return result;
}

/// Springs that pull and push, with preload, without stiffness, in all directions, slack and taut cables, and a bolt.
std::vector<Spring> some_springs() {
  std::vector<Spring> springs = {
      spring({{0, 1.0}, {2, -0.25}, {3, -0.75}}, Vec<3>(0.1, 0, 0), 3.0, 0.8, 0.0),
      spring({{1, 0.5}, {4, 0.5}, {5, -1.0}}, Vec<3>::Zero(), 5.0, 0.0, 0.0),
      spring({{2, 1.0}}, Vec<3>(-0.4, 0.3, 0.2), 2.0, 1.3, 0.7),
      spring({{3, 1.0}, {4, -1.0}}, Vec<3>::Zero(), 0.0, 0.0, -1.5),
      spring({{0, 1.0}, {5, -1.0}}, Vec<3>::Zero(), 4.0, 0.9, 0.4),
      spring({{1, 1.0}, {3, -1.0}}, Vec<3>::Zero(), 4.0, 0.6, 2.0),
  };
  springs[4].is_pull_only = true;
  springs[5].locked_from = 1.0;
  return springs;
}

template <class SomePotential>
void expect_derivatives(SomePotential& potential, int dim, const VecX& x) {
  const auto energy = [&](const VecX& at) { return potential.energy(at).value(); };
  const auto gradient = [&](const VecX& at) {
    VecX sum = VecX::Zero(at.size());
    potential.add_gradient(at, 2.0, sum);
    return sum;
  };
  EXPECT_LT(test::relative_difference(gradient(x), 2.0 * test::finite_difference_gradient(energy, x)), 1e-7);
  BlockSparseMatrix exact(dim, num_blocks, potential.pattern()), projected(dim, num_blocks, potential.pattern());
  VecX again = VecX::Zero(x.size());
  potential.add_exact_derivatives(x, 2.0, again, exact);
  EXPECT_EQ(again, gradient(x));
  EXPECT_LT(test::relative_difference(dense(exact), test::finite_difference_jacobian(gradient, x)), 1e-6);
  potential.Potential::add_derivatives(x, 2.0, again, projected);
  const VecX direction = random_positions(dim, 99);
  EXPECT_GE(direction.dot(projected.multiply(direction)), -1e-12);
}

template <int dim>
void expect_derivatives_of_springs(double time_t1) {
  SpringPotential<dim> springs(some_springs());
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const VecX x = random_positions(dim, seed);
    springs.set_history(std::vector<double>{1.1});
    ASSERT_TRUE(springs.begin_step(x, 0.1, time_t1));
    EXPECT_GT(springs.energy(x).value(), -infinity);
    expect_derivatives(springs, dim, x);
  }
}

TEST(Springs, DerivativesAreThoseOfTheEnergy) {
  for (const double time_t1 : {0.5, 2.0}) {  // before and after the lock of the bolt
    expect_derivatives_of_springs<2>(time_t1);
    expect_derivatives_of_springs<3>(time_t1);
  }
}

TEST(Springs, TensionIsStiffnessTimesElongationAndPreload) {
  SpringPotential<3> springs(some_springs());
  VecX x = VecX::Zero(18);
  x[0] = 0.9;  // the first block: the first and the fifth spring
  ASSERT_TRUE(springs.begin_step(x, 0.1, 0.5));
  EXPECT_NEAR(springs.tension(0, x), 3.0 * (1.0 - 0.8), 1e-14);
  EXPECT_NEAR(springs.tension(4, x), 0.4, 1e-14);
  x[0] = 0.75;
  EXPECT_EQ(springs.tension(4, x), 0.0);
  // A slack cable has no force, and the energy of the length at which it goes slack.
  VecX gradient = VecX::Zero(18);
  const double slack = springs.energy(x).value() - 0.5 * 3.0 * 0.05 * 0.05;
  x[0] = 0.5;
  EXPECT_NEAR(springs.energy(x).value() - 0.5 * 3.0 * 0.2 * 0.2, slack, 1e-14);
}

// Until the lock a bolt carries its tension at any length; from then on it is a spring of the length that it has.
TEST(Springs, BoltKeepsTheLengthOfItsLock) {
  std::vector<Spring> bolt = {spring({{0, 1.0}, {1, -1.0}}, Vec<3>::Zero(), 4.0, 0.5, 0.0)};
  bolt[0].locked_from = 1.0;
  bolt[0].tension_at = [](double t) { return Result<double>(2.0 * t); };
  SpringPotential<2> springs(bolt);
  VecX x = VecX::Zero(12);
  std::vector<double> history(1);
  x[0] = 0.7;
  ASSERT_TRUE(springs.begin_step(x, 0.5, 0.5));
  EXPECT_EQ(springs.tension(0, x), 1.0);
  springs.end_step(x, history);
  springs.set_history(history);
  x[0] = 0.6;
  ASSERT_TRUE(springs.begin_step(x, 0.5, 1.0));
  EXPECT_EQ(springs.tension(0, x), 2.0);
  springs.end_step(x, history);
  EXPECT_NEAR(history[0], 0.6 / 0.5, 1e-15);
  for (int step = 0; step < 3; ++step) {
    springs.set_history(history);
    ASSERT_TRUE(springs.begin_step(x, 0.5, 1.5 + 0.5 * step));
    EXPECT_NEAR(springs.tension(0, x), 2.0 + 4.0 * (x[0] - 0.6), 1e-14);
    x[0] += 0.01;
    springs.end_step(x, history);
  }
}

// The derivatives that reverse mode takes are those of the gradient and of the history.
TEST(Springs, MemoryIsPulledBack) {
  SpringPotential<3> springs(some_springs());
  const VecX x = random_positions(3, 3), motion = random_positions(3, 4);
  const auto work = [&](double ratio) {
    springs.set_history(std::vector<double>{ratio});
    EXPECT_TRUE(springs.begin_step(x, 0.1, 2.0));
    VecX gradient = VecX::Zero(18);
    springs.add_gradient(x, 1.0, gradient);
    return motion.dot(gradient);
  };
  const double difference = (work(1.1 + 1e-5) - work(1.1 - 1e-5)) / 2e-5;
  VecX by_t0 = VecX::Zero(18), by_t1 = VecX::Zero(18);
  std::vector<double> by_history(1, 0.0);
  springs.pull_back_gradient(x, x, motion, {by_t0, by_t1, by_history});
  EXPECT_NEAR(by_history[0], difference, 1e-8);
  EXPECT_GT(std::abs(difference), 0.1);

  ASSERT_TRUE(springs.begin_step(x, 0.1, 0.5));
  springs.pull_back_history(x, x, std::vector<double>{1.0}, {by_t0, by_t1, by_history});
  const auto kept = [&](const VecX& at) {
    std::vector<double> history(1);
    springs.end_step(at, history);
    return history[0];
  };
  EXPECT_LT(test::relative_difference(by_t1, test::finite_difference_gradient(kept, x)), 1e-8);
  EXPECT_EQ(by_t0, VecX(VecX::Zero(18)));
}

std::vector<Dashpot> some_dashpots() {
  return {{{{0, 1.0}, {2, -0.25}, {3, -0.75}}, Vec<3>(0.1, 0, 0), 3.0, true, always},
          {{{1, 0.5}, {4, 0.5}, {5, -1.0}}, Vec<3>::Zero(), 5.0, false, always},
          {{{2, 1.0}}, Vec<3>(-0.4, 0.3, 0.2), 2.0, true, always}};
}

template <int dim>
void expect_derivatives_of_dashpots() {
  DashpotPotential<dim> dashpots(some_dashpots());
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const VecX x_t0 = random_positions(dim, 50 + seed), x = random_positions(dim, seed);
    ASSERT_TRUE(dashpots.begin_step(x_t0, 0.1, 2.0));
    EXPECT_GT(dashpots.energy(x).value(), 0.1);
    EXPECT_EQ(dashpots.energy(x_t0).value(), 0.0);
    expect_derivatives(dashpots, dim, x);
    // Reverse mode takes the derivative by the start of the step.
    const VecX motion = random_positions(dim, 200 + seed);
    const auto work = [&](const VecX& start) {
      EXPECT_TRUE(dashpots.begin_step(start, 0.1, 2.0));
      VecX gradient = VecX::Zero(x.size());
      dashpots.add_gradient(x, 1.0, gradient);
      return motion.dot(gradient);
    };
    VecX by_t0 = VecX::Zero(x.size()), by_t1 = by_t0;
    dashpots.pull_back_gradient(x_t0, x, motion, {by_t0, by_t1, {}});
    EXPECT_LT(test::relative_difference(by_t0, test::finite_difference_gradient(work, x_t0)), 1e-7);
  }
}

TEST(Dashpots, DerivativesAreThoseOfThePotential) {
  expect_derivatives_of_dashpots<2>();
  expect_derivatives_of_dashpots<3>();
}

}  // namespace
}  // namespace clearance
