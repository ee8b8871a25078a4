// The energy of links: derivatives against differences, forces, and links that break.
#include "clearance/bodies/links/link_potential.h"

#include <gtest/gtest.h>

#include <random>

#include "clearance/math/rotation.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

MatX dense(const BlockSparseMatrix& matrix) {
  MatX all(matrix.num_rows(), matrix.num_rows());
  for (int c = 0; c < matrix.num_rows(); ++c) {
    VecX unit = VecX::Zero(matrix.num_rows());
    unit[c] = 1.0;
    all.col(c) = matrix.multiply(unit);
  }
  return all;
}

bool always(double, double) {
  return true;
}

/// Links between weighted sums of six blocks: with a length, without one, and to the world.
LinkGroup some_links() {
  LinkGroup group;
  group.links = {{{{0, 1.0}, {2, -0.25}, {3, -0.75}}, Vec<3>(0.1, 0, 0), {}, 0.8, 3.0},
                 {{{1, 0.5}, {4, 0.5}, {5, -1.0}}, Vec<3>::Zero(), {}, 0.0, 5.0},
                 {{{2, 1.0}}, Vec<3>(-0.4, 0.3, 0.2), {}, 1.3, 2.0}};
  group.is_active = always;
  return group;
}

VecX random_positions(int dim, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(-1.0, 1.0);
  VecX x(6 * dim);
  for (double& value : x) value = place(random);
  return x;
}

template <int dim>
void expect_derivatives(bool has_formulas) {
  LinkGroup group = some_links();
  if (has_formulas) {
    group.length = [](double t) { return Result<double>(0.3 * t); };
    group.moved = [](double t) { return Result<std::vector<Vec<3>>>(std::vector<Vec<3>>(3, Vec<3>(0.2 * t, 0, 0))); };
  }
  LinkPotential<dim> links({group});
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const VecX x = random_positions(dim, seed);
    ASSERT_TRUE(links.begin_step(x, 0.1, 2.0));
    const auto energy = [&](const VecX& at) { return links.energy(at).value(); };
    const auto gradient = [&](const VecX& at) {
      VecX sum = VecX::Zero(at.size());
      links.add_gradient(at, 2.0, sum);
      return sum;
    };
    EXPECT_LT(test::relative_difference(gradient(x), 2.0 * test::finite_difference_gradient(energy, x)), 1e-8);
    BlockSparseMatrix exact(dim, 6, links.pattern()), projected(dim, 6, links.pattern());
    VecX again = VecX::Zero(x.size());
    links.add_exact_derivatives(x, 2.0, again, exact);
    EXPECT_EQ(again, gradient(x));
    EXPECT_LT(test::relative_difference(dense(exact), test::finite_difference_jacobian(gradient, x)), 1e-7);
    // The projected Hessian has no negative eigenvalue, and is the exact one where all links are pulled.
    links.Potential::add_derivatives(x, 2.0, again, projected);
    const VecX direction = random_positions(dim, 100 + seed);
    EXPECT_GE(direction.dot(projected.multiply(direction)), -1e-12);
  }
}

TEST(Links, DerivativesAreThoseOfTheEnergy) {
  for (const bool has_formulas : {false, true}) {
    expect_derivatives<2>(has_formulas);
    expect_derivatives<3>(has_formulas);
  }
}

TEST(Links, ForcesOfLinksBetweenBodiesSumToZero) {
  LinkPotential<3> links({some_links()});
  const VecX x = random_positions(3, 5);
  VecX gradient = VecX::Zero(x.size());
  ASSERT_TRUE(links.begin_step(x, 0.1, 0.1));
  links.add_gradient(x, 1.0, gradient);
  Vec<3> sum = Vec<3>::Zero();
  for (int b = 0; b < 6; ++b) sum += gradient.segment<3>(3 * b);
  // The sum is the force of the link to the world: k (|r| - l) r / |r|.
  const Vec<3> r = x.segment<3>(6) + Vec<3>(-0.4, 0.3, 0.2);
  EXPECT_LT((sum - 2.0 * (r.norm() - 1.3) * r.normalized()).norm(), 1e-14);
}

TEST(Links, BreakForGoodAboveTheirForce) {
  LinkGroup group = some_links();
  for (Link& link : group.links) link.break_force = 2.5;
  LinkPotential<3> links({group});
  VecX x = VecX::Zero(18);
  ASSERT_TRUE(links.begin_step(x, 0.1, 0.1));
  // Only the link without a length is pulled by more: 5 * 0.6 against 3 * 0.7 and 2 * 0.76.
  x[15] = 0.6;
  std::vector<double> history(3);
  links.end_step(x, history);
  EXPECT_EQ(history, (std::vector<double>{0.0, 1.0, 0.0}));
  links.set_history(history);
  ASSERT_TRUE(links.begin_step(x, 0.1, 0.2));
  EXPECT_EQ(links.force_of(0, x).num_links, 2);
  links.end_step(VecX::Zero(18), history);
  EXPECT_EQ(history, (std::vector<double>{0.0, 1.0, 0.0}));
}

TEST(Links, ActInTheirTimeAlone) {
  LinkGroup group = some_links();
  group.is_active = [](double h, double t) { return t - h >= 0.5; };
  LinkPotential<2> links({group});
  const VecX x = random_positions(2, 3);
  ASSERT_TRUE(links.begin_step(x, 0.1, 0.5));
  EXPECT_EQ(links.energy(x).value(), 0.0);
  ASSERT_TRUE(links.begin_step(x, 0.1, 0.61));
  EXPECT_GT(links.energy(x).value(), 0.0);
}

/// A tie of block 0 above the face of the blocks 1, 2 and 3, the last corner being the middle of the blocks 3 and 4.
template <int dim>
LinkGroup a_tie(const VecX& x) {
  Link tie;
  tie.corners = {{{{1, 1.0}}, Vec<3>::Zero()}, {{{2, 1.0}}, Vec<3>(0.2, -0.1, 0.0)}};
  if (dim == 3) tie.corners.push_back({{{3, 0.5}, {4, 0.5}}, Vec<3>::Zero()});
  tie.terms = {{0, 1.0}, {1, -0.7}, {2, -0.3}};
  if (dim == 3) tie.terms = {{0, 1.0}, {1, -0.7}, {2, -0.5}, {3, 0.1}, {4, 0.1}};
  tie.height = 0.4;
  tie.stiffness = 3.0;
  // The link is relaxed at x.
  LinkGroup group;
  group.is_active = always;
  group.links = {tie};
  LinkPotential<dim> unmoved({group});
  EXPECT_TRUE(unmoved.begin_step(x, 0.1, 0.1));
  Vec<3> r = Vec<3>::Zero();
  r.head<dim>() = -unmoved.force_of(0, x).total.template head<dim>() / tie.stiffness;
  group.links[0].offset = -r;
  return group;
}

template <int dim>
void expect_derivatives_of_ties() {
  LinkPotential<dim> links({a_tie<dim>(random_positions(dim, 77))});
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const VecX x = random_positions(dim, seed);
    ASSERT_TRUE(links.begin_step(x, 0.1, 2.0));
    const auto energy = [&](const VecX& at) { return links.energy(at).value(); };
    const auto gradient = [&](const VecX& at) {
      VecX sum = VecX::Zero(at.size());
      links.add_gradient(at, 2.0, sum);
      return sum;
    };
    EXPECT_GT(gradient(x).norm(), 0.1);
    EXPECT_LT(test::relative_difference(gradient(x), 2.0 * test::finite_difference_gradient(energy, x)), 1e-7);
    BlockSparseMatrix exact(dim, 6, links.pattern()), projected(dim, 6, links.pattern());
    VecX again = VecX::Zero(x.size());
    links.add_exact_derivatives(x, 2.0, again, exact);
    EXPECT_LT(test::relative_difference(dense(exact), test::finite_difference_jacobian(gradient, x)), 1e-6);
    links.Potential::add_derivatives(x, 2.0, again, projected);
    const VecX direction = random_positions(dim, 100 + seed);
    EXPECT_GE(direction.dot(projected.multiply(direction)), -1e-12);
  }
}

TEST(Links, DerivativesOfTiesAreThoseOfTheEnergy) {
  expect_derivatives_of_ties<2>();
  expect_derivatives_of_ties<3>();
}

// A tie carries no force while node and face move together, however far they turn, and resists what a link of the same
// length does not: shear.
TEST(Links, TiesTurnWithTheirFaceAndResistShear) {
  VecX x = VecX::Zero(18);
  const std::array<Vec<3>, 5> places = {Vec<3>(0.3, 0.2, 0.4), Vec<3>(0, 0, 0), Vec<3>(1, 0, 0), Vec<3>(0, 1, 0),
                                        Vec<3>(0, 1, 0)};
  for (int b = 0; b < 5; ++b) x.segment<3>(3 * b) = places[b];
  Link tie;
  tie.corners = {{{{1, 1.0}}, Vec<3>::Zero()}, {{{2, 1.0}}, Vec<3>::Zero()}, {{{3, 1.0}}, Vec<3>::Zero()}};
  tie.terms = {{0, 1.0}, {1, -0.5}, {2, -0.3}, {3, -0.2}};
  tie.height = 0.4;
  tie.stiffness = 3.0;
  LinkGroup group;
  group.is_active = always;
  group.links = {tie};
  LinkPotential<3> links({group});
  ASSERT_TRUE(links.begin_step(x, 0.1, 0.1));
  EXPECT_NEAR(links.energy(x).value(), 0.0, 1e-30);
  const Mat<3> turn = rotation_from_vector(Vec<3>(1.0, -2.0, 0.7));
  VecX moved = x;
  for (int b = 0; b < 6; ++b) moved.segment<3>(3 * b) = turn * x.segment<3>(3 * b) + Vec<3>(1, 2, 3);
  EXPECT_NEAR(links.energy(moved).value(), 0.0, 1e-28);
  VecX sheared = x;
  sheared[0] += 0.1;
  EXPECT_NEAR(links.energy(sheared).value(), 0.5 * 3.0 * 0.01, 1e-15);
}

TEST(Links, UndefinedFormulasStopTheStep) {
  LinkGroup group = some_links();
  group.length = [](double) { return Result<double>(Issue{"", "length", "1/0", "not finite", Severity::error}); };
  LinkPotential<3> links({group});
  EXPECT_FALSE(links.begin_step(VecX::Zero(18), 0.1, 0.1));
}

}  // namespace
}  // namespace clearance
