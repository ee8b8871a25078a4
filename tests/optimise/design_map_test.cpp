#include "clearance/optimise/design_map.h"

#include <gtest/gtest.h>

#include <random>

namespace clearance::optimise {
namespace {

VecX random_vector(Eigen::Index size, unsigned seed, double low, double high) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(low, high);
  VecX x(size);
  for (double& value : x) value = number(random);
  return x;
}

/// Compares the transposed derivative of a map with central differences, for one functional of the result.
void expect_differences(const MapStep& map, const VecX& x) {
  const VecX y = map.apply(x), factors = random_vector(y.size(), 7, -1.0, 1.0);
  const VecX slope = map.pull_back(x, factors);
  ASSERT_EQ(slope.size(), x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double h = 1e-5;
    VecX above = x, below = x;
    above[i] += h;
    below[i] -= h;
    const double difference = factors.dot(map.apply(above) - map.apply(below)) / (2.0 * h);
    EXPECT_NEAR(slope[i], difference, 1e-8 * std::max(1.0, std::abs(difference))) << i;
  }
  EXPECT_EQ(map.size_of_result(x.size()), y.size());
}

TEST(MapStep, TransposedDerivativesAreThoseOfDifferences) {
  const VecX x = random_vector(6, 1, 0.1, 0.4);
  expect_differences(*exp_map(0, -1), x);
  expect_differences(*exp_map(1, 4), x);
  expect_differences(*scale_map(-3.0), x);
  expect_differences(*power_map(2.5), x);
  expect_differences(*slice_map(2, 5), x);
  expect_differences(*append_map({7.0, 8.0}, 0), x);
  expect_differences(*append_map({7.0, 8.0}, 3), x);
  expect_differences(*append_map({7.0, 8.0}, -1), x);
  expect_differences(*spread_map({0, 1, 1, 2, 0}, 3, 1), x);
  expect_differences(*spread_map({0, 1, 1, 2, 0}, 3, 2), x);
  expect_differences(*lame_map(true), x);
  expect_differences(*lame_map(false), x);
}

TEST(MapStep, InvertsWhatItMakes) {
  const VecX x = random_vector(6, 2, 0.1, 0.4);
  std::vector<std::unique_ptr<MapStep>> maps;
  maps.push_back(exp_map(0, 3));
  maps.push_back(scale_map(-3.0));
  maps.push_back(power_map(2.5));
  maps.push_back(append_map({7.0, 8.0}, 3));
  maps.push_back(append_map({7.0}, -1));
  maps.push_back(spread_map({0, 1, 1, 2, 0}, 3, 2));
  maps.push_back(lame_map(true));
  maps.push_back(lame_map(false));
  for (const auto& map : maps) {
    const std::optional<VecX> found = map->invert(map->apply(x));
    ASSERT_TRUE(found);
    EXPECT_LT((*found - x).norm(), 1e-14);
  }
  EXPECT_FALSE(slice_map(0, 2)->invert(x)) << "the other numbers are not known";
  EXPECT_FALSE(exp_map(0, -1)->invert(-x)) << "exp is positive";
}

TEST(DesignMap, ComposesTheMapsOfThePublishedLattice) {
  // PolyFEM's published lattice: [ln E, nu] of the lattice; the plate has 1e9 Pa and 0.2. Here the lattice has two
  // elements.
  DesignMap map;
  map.add(exp_map(0, 1));
  map.add(append_map({1e9}, 1));
  map.add(append_map({0.2}, 3));
  map.add(lame_map(true));
  map.add(spread_map({0, 0, 1}, 2, 1));
  VecX x(2);
  x << std::log(3e6), 0.25;
  ASSERT_TRUE(map.check(2));
  EXPECT_EQ(*map.check(2), 6);
  const VecX y = map.apply(x);
  const double lambda = 1.2e6, of_plate = 1e9 * 0.2 / (1.2 * 0.6);
  VecX expected(6);
  expected << lambda, lambda, of_plate, 1.2e6, 1.2e6, 1e9 / 2.4;
  EXPECT_LT((y - expected).norm(), 1e-6);
  const std::optional<VecX> back = map.invert(y);
  ASSERT_TRUE(back);
  EXPECT_LT((*back - x).norm(), 1e-12);
  const VecX factors = random_vector(6, 3, -1.0, 1.0);
  const VecX slope = map.pull_back(x, factors);
  for (Eigen::Index i = 0; i < 2; ++i) {
    const VecX h = 1e-6 * VecX::Unit(2, i);
    const double difference = factors.dot(map.apply(x + h) - map.apply(x - h)) / 2e-6;
    EXPECT_NEAR(slope[i], difference, 1e-8 * std::abs(difference));
  }
}

TEST(DesignMap, NamesTheMapThatDoesNotFit) {
  DesignMap map;
  map.add(exp_map(0, -1));
  map.add(spread_map({0, 1}, 2, 1));
  const Result<Eigen::Index> size = map.check(3);
  ASSERT_FALSE(size);
  EXPECT_EQ(size.issues().front().place, "[1]");
  EXPECT_NE(size.issues().front().message.find("multiple of 2"), std::string::npos);
}

TEST(Lame, AreThoseOfTheory) {
  const Lame lame = Lame::of(3e6, 0.25);
  EXPECT_NEAR(lame.lambda, 1.2e6, 1e-6);
  EXPECT_NEAR(lame.mu, 1.2e6, 1e-6);
  EXPECT_NEAR(lame.youngs_modulus(), 3e6, 1e-6);
  EXPECT_NEAR(lame.poisson_ratio(), 0.25, 1e-15);
}

}  // namespace
}  // namespace clearance::optimise
