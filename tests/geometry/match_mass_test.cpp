#include "clearance/geometry/match_mass.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <random>

#include "clearance/geometry/generators.h"

namespace clearance {
namespace {

using Matrix = Eigen::MatrixXd;

/// Returns a small ball.
MassProperties grain(double volume, const Vec<3>& center, double second = 0.0) {
  return {volume, center, second * Mat<3>::Identity()};
}

MassProperties with(const std::vector<MassProperties>& elements, const std::vector<double>& densities) {
  MassProperties all;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    MassProperties part = elements[e];
    part.measure *= densities[e];
    part.second_moment *= densities[e];
    all = combine(all, part);
  }
  return all;
}

std::vector<MassProperties> elements_of(const Mesh& mesh) {
  std::vector<MassProperties> elements;
  for (const auto& tet : mesh.tets) elements.push_back(mass_properties_of_tets(mesh.vertices, {tet}));
  for (const auto& triangle : mesh.triangles) {
    elements.push_back(mass_properties_of_triangles(mesh.vertices, {triangle}));
  }
  return elements;
}

/// Returns the moments about the origin of every element, one column each: mass; centre; second moments (2D: the
/// trace).
Matrix moment_columns(int dim, const std::vector<MassProperties>& elements, MassMoments moments) {
  Matrix a(dim == 3 ? 10 : 4, std::ssize(elements));
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const MassProperties& element = elements[e];
    const Vec<3> x = element.center;
    const Mat<3> second = element.second_moment + element.measure * x * x.transpose();
    const auto column = static_cast<Eigen::Index>(e);
    a(0, column) = element.measure;
    a.col(column).segment(1, dim) = element.measure * x.head(dim);
    if (dim == 2) {
      a(3, column) = second.trace();
      continue;
    }
    const double root = std::sqrt(2.0);
    a.col(column).tail(6) << second(0, 0), second(1, 1), second(2, 2), root * second(0, 1), root * second(1, 2),
        root * second(2, 0);
  }
  return a.topRows(moments == MassMoments::mass ? 1 : moments == MassMoments::center ? 1 + dim : a.rows());
}
VecX moments_of(int dim, const MassProperties& shape, MassMoments moments) {
  return moment_columns(dim, {shape}, moments).col(0);
}

VecX as_vector(const std::vector<double>& values) {
  return Eigen::Map<const VecX>(values.data(), std::ssize(values));
}

double spread(const std::vector<MassProperties>& elements, const VecX& densities, double mean) {
  double sum = 0.0;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    sum += elements[e].measure * std::pow(densities[static_cast<Eigen::Index>(e)] - mean, 2);
  }
  return sum;
}

/// Expects the conditions of Karush, Kuhn and Tucker: moments and bounds are met, and V (rho - mean) - A^T lambda is 0
/// for elements above the least density and at least 0 for those at it.
void expect_optimal(int dim, std::vector<MassProperties> elements, MassProperties target, MassMoments moments,
                    double min_density, const MassMatch& match) {
  ASSERT_FALSE(match.unmatched);
  // Moments are taken about a point amid the body, which keeps the digits of the checks.
  for (MassProperties& element : elements) element.center -= target.center;
  target.center.setZero();
  const Matrix a = moment_columns(dim, elements, moments);
  const VecX rho = as_vector(match.densities), b = moments_of(dim, target, moments);
  EXPECT_LE((a * rho - b).norm(), 1e-12 * (a.cwiseAbs() * rho.cwiseAbs()).norm());
  EXPECT_GE(rho.minCoeff(), min_density);
  const double mean = target.measure / a.row(0).sum();
  std::vector<Eigen::Index> is_free, is_bound;
  for (Eigen::Index e = 0; e < rho.size(); ++e) (rho[e] > min_density ? is_free : is_bound).push_back(e);
  // Divide by the volumes, so that all elements weigh alike.
  Matrix columns = a.transpose();
  VecX slope(rho.size());
  for (Eigen::Index e = 0; e < rho.size(); ++e) {
    columns.row(e) /= a(0, e);
    slope[e] = rho[e] - mean;
  }
  const Matrix free_columns = columns(is_free, Eigen::all);
  const VecX lambda = free_columns.completeOrthogonalDecomposition().solve(VecX(slope(is_free)));
  EXPECT_LE((free_columns * lambda - slope(is_free)).cwiseAbs().maxCoeff(), 1e-12 * rho.maxCoeff());
  if (std::ssize(is_free) < a.rows()) return;  // multipliers are not unique
  for (const Eigen::Index e : is_bound) {
    EXPECT_GE(slope[e] - columns.row(e).dot(lambda), -1e-12 * rho.maxCoeff()) << "element " << e;
  }
}

TEST(MatchMass, TwoElements_MatchesHandCalculation) {
  const std::vector<MassProperties> elements = {grain(1.0, {-1, 0, 0}), grain(1.0, {1, 0, 0})};
  // rho_1 + rho_2 = 3, rho_2 - rho_1 = 3 / 3.
  const MassMatch match = match_mass(3, elements, grain(3.0, {1.0 / 3.0, 0, 0}), MassMoments::center, 0.0);
  EXPECT_FALSE(match.unmatched);
  EXPECT_NEAR(match.densities[0], 1.0, 1e-14);
  EXPECT_NEAR(match.densities[1], 2.0, 1e-14);
  EXPECT_NEAR(match.reached.measure, 3.0, 1e-14);
  EXPECT_LE((match.reached.center - Vec<3>(1.0 / 3.0, 0, 0)).norm(), 1e-14);
  // The mass alone is matched by one density.
  const MassMatch mass = match_mass(3, elements, grain(3.0, {1.0 / 3.0, 0, 0}), MassMoments::mass, 0.0);
  EXPECT_EQ(mass.densities, (std::vector<double>{1.5, 1.5}));
}

TEST(MatchMass, UnequalElements_MatchesHandCalculation) {
  // With volume 2 at 0 and 1 at 3: 2 rho_1 + rho_2 = 6, 3 rho_2 = 6 x.
  const std::vector<MassProperties> elements = {grain(2.0, Vec<3>::Zero()), grain(1.0, {3, 0, 0})};
  for (const double x : {0.0, 0.5, 1.0, 2.9, 3.0}) {
    const MassMatch match = match_mass(3, elements, grain(6.0, {x, 0, 0}), MassMoments::center, 0.0);
    EXPECT_FALSE(match.unmatched) << x;
    EXPECT_NEAR(match.densities[1], 2.0 * x, 1e-13);
    EXPECT_NEAR(match.densities[0], 3.0 - x, 1e-13);
  }
}

TEST(MatchMass, MassBelowTheLeast_IsToldWithTheDifference) {
  const std::vector<MassProperties> elements = {grain(1.0, {-1, 0, 0}), grain(2.0, {1, 0, 0})};
  const MassMatch match = match_mass(3, elements, grain(2.0, {0, 0, 0}), MassMoments::inertia, 1.0);
  EXPECT_EQ(match.unmatched, MassMoments::mass);
  EXPECT_EQ(match.densities, (std::vector<double>{1.0, 1.0}));
  EXPECT_EQ(match.reached.measure, 3.0);
}

TEST(MatchMass, CenterOutOfReach_IsTheNearest) {
  const std::vector<MassProperties> elements = {grain(1.0, {-1, 0, 0}), grain(1.0, {1, 0, 0})};
  const auto reached = [&](const Vec<3>& center, double min_density) {
    const MassMatch match = match_mass(3, elements, grain(3.0, center), MassMoments::center, min_density);
    EXPECT_EQ(match.unmatched, MassMoments::center);
    EXPECT_NEAR(match.reached.measure, 3.0, 1e-11);
    EXPECT_GE(*std::min_element(match.densities.begin(), match.densities.end()), min_density);
    return match.reached.center;
  };
  // The target is beyond the second element; off their line; within it, but for the least density.
  EXPECT_LE((reached({2, 0, 0}, 0.0) - Vec<3>(1, 0, 0)).norm(), 1e-5);
  EXPECT_LE((reached({0.5, 1, 0}, 0.0) - Vec<3>(0.5, 0, 0)).norm(), 1e-5);
  EXPECT_LE((reached({0.5, 0, 0}, 1.0) - Vec<3>(1.0 / 3.0, 0, 0)).norm(), 1e-5);
}

TEST(MatchMass, InertiaOutOfReach_KeepsMassAndCenter) {
  // Three grains on a line: their second moment along it is at most 3, if the middle one has no mass.
  const std::vector<MassProperties> elements = {grain(1.0, {-1, 0, 0}), grain(1.0, {0, 0, 0}), grain(1.0, {1, 0, 0})};
  MassProperties target = grain(3.0, {1.0 / 3.0, 0, 0});
  target.second_moment(0, 0) = 7.0;
  const MassMatch match = match_mass(3, elements, target, MassMoments::inertia, 0.0);
  EXPECT_EQ(match.unmatched, MassMoments::inertia);
  EXPECT_NEAR(match.reached.measure, 3.0, 1e-10);
  EXPECT_NEAR(match.reached.center[0], 1.0 / 3.0, 1e-10);
  EXPECT_NEAR(match.densities[0], 1.0, 1e-4);
  EXPECT_NEAR(match.densities[1], 0.0, 1e-4);
  EXPECT_NEAR(match.densities[2], 2.0, 1e-4);
  EXPECT_NEAR(match.reached.second_moment(0, 0), 3.0 - 3.0 / 9.0, 1e-4);
}

TEST(MatchMass, WhatMatchesAlready_KeepsOneDensity) {
  for (const MassMoments moments : {MassMoments::mass, MassMoments::center, MassMoments::inertia}) {
    const std::vector<MassProperties> elements = elements_of(make_torus(1.0, 0.3, 7, 1));
    const MassMatch match =
        match_mass(3, elements, with(elements, std::vector<double>(elements.size(), 7.5)), moments, 1.0);
    EXPECT_FALSE(match.unmatched);
    for (const double density : match.densities) EXPECT_NEAR(density, 7.5, 1e-12);
  }
}

/// Returns elements in the unit cube with moments of their own, far from the origin.
std::vector<MassProperties> random_elements(std::mt19937& random, int dim, int count) {
  std::uniform_real_distribution<double> number(0.0, 1.0);
  std::vector<MassProperties> elements;
  for (int e = 0; e < count; ++e) {
    Mat<3> root = Mat<3>::Zero();
    Vec<3> center = Vec<3>::Zero();
    for (int i = 0; i < dim; ++i) {
      center[i] = number(random) + 5.0;
      for (int j = 0; j < dim; ++j) root(i, j) = 0.1 * (number(random) - 0.5);
    }
    const double volume = std::pow(10.0, -3.0 * number(random));
    elements.push_back({volume, center, volume * root * root.transpose()});
  }
  return elements;
}

TEST(MatchMass, RandomBodies_MeetTheConditionsOfAnOptimum) {
  constexpr unsigned seed = 20231;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(0.0, 1.0);
  int num_bound = 0;
  for (int i = 0; i < 400; ++i) {
    const int dim = 2 + i % 2, count = 1 + static_cast<int>(number(random) * (i % 3 == 0 ? 6 : 200));
    const MassMoments moments = i % 4 < 2 ? MassMoments::center : MassMoments::inertia;
    const double min_density = i % 5 == 0 ? 0.0 : 100.0 * number(random);
    const std::vector<MassProperties> elements = random_elements(random, dim, count);
    // The target is heavy on one side, so that many densities end at the least one.
    std::vector<double> densities;
    for (const MassProperties& element : elements) {
      densities.push_back(min_density + (element.center[0] > 5.7 ? 1000.0 : 10.0 * number(random)));
    }
    const MassProperties target = with(elements, densities);
    const MassMatch match = match_mass(dim, elements, target, moments, min_density);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i) + ", elements " +
                 std::to_string(count));
    expect_optimal(dim, elements, target, moments, min_density, match);
    num_bound += static_cast<int>(std::count(match.densities.begin(), match.densities.end(), min_density));
    EXPECT_LE((match.reached.center - target.center).norm(), 1e-12);
    if (moments == MassMoments::inertia) {
      const Mat<3> difference = match.reached.inertia() - target.inertia();
      EXPECT_LE(dim == 2 ? std::abs(difference(2, 2)) : difference.norm(), 1e-11 * target.measure);
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(num_bound, 1000);
}

/// Tries all sets of elements at the least density and returns the best solution of the equalities that respects it.
VecX best_of_all_sets(const Matrix& a, const VecX& b, const std::vector<MassProperties>& elements, double mean,
                      double min_density) {
  const Eigen::Index count = a.cols();
  VecX best;
  double least = infinity;
  for (int set = 0; set < (1 << count); ++set) {
    std::vector<Eigen::Index> free;
    for (Eigen::Index e = 0; e < count; ++e) {
      if ((set >> e) % 2 == 0) free.push_back(e);
    }
    if (free.empty()) continue;
    // rho = mean + s / sqrt(V), with the least |s|.
    Matrix scaled = a(Eigen::all, free);
    VecX left = b;
    for (Eigen::Index e = 0; e < count; ++e) left -= ((set >> e) % 2 == 0 ? mean : min_density) * a.col(e);
    for (std::size_t i = 0; i < free.size(); ++i) {
      scaled.col(static_cast<Eigen::Index>(i)) /= std::sqrt(elements[free[i]].measure);
    }
    const VecX s = scaled.completeOrthogonalDecomposition().solve(left);
    if ((scaled * s - left).norm() > 1e-9 * b.norm()) continue;
    VecX rho = VecX::Constant(count, min_density);
    for (std::size_t i = 0; i < free.size(); ++i) {
      rho[free[i]] = mean + s[static_cast<Eigen::Index>(i)] / std::sqrt(elements[free[i]].measure);
    }
    if (rho.minCoeff() < min_density - 1e-9) continue;
    if (const double objective = spread(elements, rho, mean); objective < least) {
      least = objective;
      best = rho;
    }
  }
  return best;
}

TEST(MatchMass, FewElements_AgreeWithAllSetsOfBounds) {
  constexpr unsigned seed = 77;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(0.0, 1.0);
  int num_matched = 0, num_unmatched = 0;
  for (int i = 0; i < 300; ++i) {
    const int dim = 2 + i % 2, count = 5 + i % 4;
    std::vector<MassProperties> elements = random_elements(random, dim, count);
    // The brute force has few digits: use elements near the origin and of like volumes.
    for (MassProperties& element : elements) {
      element.center.head(dim).array() -= 5.5;
      element.measure = 0.5 + number(random);
    }
    MassProperties target = with(elements, std::vector<double>(elements.size(), 1.0));
    for (int d = 0; d < dim; ++d) target.center[d] += 0.3 * (number(random) - 0.5);
    const double min_density = i % 2 == 0 ? 0.0 : 0.2;
    const MassMatch match = match_mass(dim, elements, target, MassMoments::center, min_density);
    const double mean = target.measure / moment_columns(dim, elements, MassMoments::mass).sum();
    const VecX expected = best_of_all_sets(moment_columns(dim, elements, MassMoments::center),
                                           moments_of(dim, target, MassMoments::center), elements, mean, min_density);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i));
    ASSERT_EQ(match.unmatched.has_value(), expected.size() == 0);
    if (match.unmatched) {
      ++num_unmatched;
      EXPECT_EQ(*match.unmatched, MassMoments::center);
      EXPECT_NEAR(match.reached.measure, target.measure, 1e-10 * target.measure);
      continue;
    }
    ++num_matched;
    EXPECT_LE((as_vector(match.densities) - expected).cwiseAbs().maxCoeff(), 1e-9);
  }
  EXPECT_GT(num_matched, 50);
  EXPECT_GT(num_unmatched, 50);
}

// No move of mass from any element to any other brings the nearest solution nearer.
TEST(MatchMass, UnmatchedCenter_CannotComeNearer) {
  constexpr unsigned seed = 5;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  for (int i = 0; i < 100; ++i) {
    // Volumes differ by a factor of 3 at most: the part of the spread that is kept counts 1e-7 of its square.
    std::vector<MassProperties> elements = random_elements(random, 3, 40);
    for (MassProperties& element : elements) element.measure = 1.0 + number(random) * 0.5;
    MassProperties target = with(elements, std::vector<double>(elements.size(), 1.0));
    const Vec<3> way(number(random), number(random), number(random));
    target.center += 2.0 * way.normalized();
    const MassMatch match = match_mass(3, elements, target, MassMoments::center, 0.0);
    ASSERT_EQ(match.unmatched, MassMoments::center);
    const Vec<3> miss = target.center - match.reached.center;
    double largest = -infinity;
    for (const MassProperties& element : elements) largest = std::max(largest, miss.dot(element.center));
    EXPECT_NEAR(miss.dot(match.reached.center), largest, 1e-4 * miss.norm()) << "seed " << seed << ", case " << i;
  }
}

TEST(MatchMass, OrderOfElementsDoesNotMatter) {
  std::mt19937 random(11);
  const std::vector<MassProperties> elements = random_elements(random, 3, 300);
  std::vector<MassProperties> reversed(elements.rbegin(), elements.rend());
  MassProperties target = with(elements, std::vector<double>(elements.size(), 1000.0));
  target.center[1] += 0.1;
  const MassMatch match = match_mass(3, elements, target, MassMoments::inertia, 10.0);
  MassMatch of_reversed = match_mass(3, reversed, target, MassMoments::inertia, 10.0);
  std::reverse(of_reversed.densities.begin(), of_reversed.densities.end());
  ASSERT_EQ(match.unmatched, of_reversed.unmatched);
  EXPECT_LE((as_vector(match.densities) - as_vector(of_reversed.densities)).cwiseAbs().maxCoeff(), 1e-9);
}

// A ball stands in for a dumbbell-like body, off its centre.
TEST(MatchMass, Meshes_KeepTheMomentsOfTheFineOne) {
  const Mesh fine = make_sphere(1.0, 8);
  const std::vector<MassProperties> fine_elements = elements_of(fine);
  std::vector<double> densities;
  for (const MassProperties& element : fine_elements) densities.push_back(element.center[0] > 0.2 ? 3000.0 : 500.0);
  const MassProperties target = with(fine_elements, densities);
  for (const MassMoments moments : {MassMoments::center, MassMoments::inertia}) {
    const std::vector<MassProperties> elements = elements_of(make_sphere(1.0, 3));
    const MassMatch match = match_mass(3, elements, target, moments, 0.0);
    expect_optimal(3, elements, target, moments, 0.0, match);
    const MassProperties reached = with(elements, match.densities);
    EXPECT_NEAR(reached.measure, target.measure, 1e-12 * target.measure);
    EXPECT_LE((reached.center - target.center).norm(), 1e-12);
    if (moments == MassMoments::inertia) {
      EXPECT_LE((reached.inertia() - target.inertia()).norm(), 1e-12 * target.inertia().norm());
    }
  }
}

}  // namespace
}  // namespace clearance
