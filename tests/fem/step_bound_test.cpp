#include "clearance/bodies/fem/step_bound.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fem_fixtures.h"

namespace clearance {
namespace {

using namespace test;

TEST(StepBound, PositivePrefixEndsJustBeforeTheFirstRoot) {
  // Cubics have chosen roots: the first root r, the others beyond it or complex.
  std::mt19937_64 rng(51);
  std::uniform_real_distribution<double> exponent(-12, -0.01), gap(0, 2);
  for (int trial = 0; trial < 5000; ++trial) {
    const double r = std::pow(10.0, exponent(rng)), s = r * (1 + gap(rng)), t = r * (1 + 10 * gap(rng));
    const bool is_complex = trial % 3 == 0;
    // (1 - a/r) (1 - a/s) (1 - a/t), or (1 - a/r) (1 + (a/s)^2)
    std::array<double, 4> c;
    if (is_complex) {
      c = {1, -1 / r, 1 / (s * s), -1 / (r * s * s)};
    } else {
      c = {1, -(1 / r + 1 / s + 1 / t), 1 / (r * s) + 1 / (r * t) + 1 / (s * t), -1 / (r * s * t)};
    }
    const double alpha = find_positive_prefix(c);
    EXPECT_LE(alpha, r * (1 + 1e-9)) << "seed 51, trial " << trial;
    // Nearly triple roots cannot be separated to better than the cube root of rounding.
    EXPECT_GE(alpha, 0.98 * r) << "seed 51, trial " << trial;
  }
}

TEST(StepBound, PositivePrefixOfAPositivePolynomialIsTheWholeStep) {
  EXPECT_EQ(find_positive_prefix({1, 0, 0, 0}), 1.0);
  EXPECT_EQ(find_positive_prefix({1, -1, 0.3, 0}), 1.0);   // minimum 1/6 outside of [0, 1]
  EXPECT_EQ(find_positive_prefix({0.26, -1, 1, 0}), 1.0);  // dips to 0.01 at 1/2
  EXPECT_EQ(find_positive_prefix({1e-200, 1e-200, 0, 0}), 1.0);
  EXPECT_NEAR(find_positive_prefix({1, -2, 0, 0}), 0.5, 1e-3);
}

TEST(StepBound, PositivePrefixOfBadInputIsZero) {
  const double nan = std::nan("");
  EXPECT_EQ(find_positive_prefix({0, 1, 0, 0}), 0.0);
  EXPECT_EQ(find_positive_prefix({-1, 5, 0, 0}), 0.0);
  EXPECT_EQ(find_positive_prefix({nan, 1, 0, 0}), 0.0);
  EXPECT_EQ(find_positive_prefix({1, nan, 0, 0}), 0.0);
}

/// Checks the promises of max_feasible_step on one random move.
template <int dim>
void check_move(const ElementMesh<dim>& mesh, ElasticPotential<dim>& potential, const VecX& x, const VecX& dx) {
  const StepLimit limit = potential.max_feasible_step(x, dx);
  ASSERT_GE(limit.alpha, 0.0);
  ASSERT_LE(limit.alpha, 1.0);
  ASSERT_EQ(limit.alpha < 1.0, limit.element >= 0);
  const std::vector<double> volumes = compute_volumes(mesh, x);
  for (int k = 0; k <= 10; ++k) {
    const VecX at = x + (limit.alpha * k / 10) * dx;
    ASSERT_TRUE(potential.is_feasible(at));
    ASSERT_TRUE(find_inverted_elements(mesh, at).empty());
    // A fifth of the volume remains, up to the rounding of the positions.
    const std::vector<double> now = compute_volumes(mesh, at);
    for (std::size_t e = 0; e < now.size(); ++e) ASSERT_GT(now[e], (kept_volume_fraction - 1e-9) * volumes[e]);
  }
  // The step is not absurdly small: a little further, the limiting element has lost what it may lose, or is stretched
  // to many times its size.
  if (limit.element < 0) return;
  const VecX further = x + 1.01 * limit.alpha * dx;
  const Mat<dim> before = edge_matrix<dim>(x, mesh.nodes_of(limit.element));
  const Mat<dim> after = edge_matrix<dim>(further, mesh.nodes_of(limit.element));
  const bool is_torn = (after - before).cwiseAbs().maxCoeff() > 16.0 * before.cwiseAbs().maxCoeff();
  EXPECT_TRUE(is_torn || after.determinant() < (kept_volume_fraction + 0.05) * before.determinant());
}

template <int dim>
void check_random_moves() {
  std::mt19937_64 rng(52);
  const ElementMesh<dim> mesh = [&] {
    ElementMesh<dim> grid = make_grid<dim>(dim == 2 ? 4 : 2, 0.1, 0.1, rng);
    mix_materials(grid);
    return grid;
  }();
  ElasticPotential<dim> potential(mesh);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 300; ++trial) {
    const double size = std::pow(10.0, trial % 12 - 3);
    SCOPED_TRACE(::testing::Message() << "seed 52, dim " << dim << ", trial " << trial << ", size " << size);
    const VecX x = random_state(mesh, 0.03, rng);
    VecX dx = x.unaryExpr([&](double) { return size * normal(rng); });
    if (trial % 3 == 1) {  // everything to one point
      for (Eigen::Index i = 0; i < dx.size(); ++i) dx[i] = size * (x[i % dim] - x[i]);
    }
    if (trial % 3 == 2) {  // one node only
      const Vec<dim> kept = dx.template head<dim>();
      dx.setZero();
      dx.template segment<dim>(dim * (trial % 9)) = kept;
    }
    check_move(mesh, potential, x, dx);
  }
}

TEST(StepBound, NeverInvertsAndIsNotTooSmallOnRandomMoves) {
  check_random_moves<2>();
  check_random_moves<3>();
}

TEST(StepBound, IsTheFractionThatKeepsAFifthOfTheVolume) {
  // The apex of a unit right-angled simplex falls through its base at alpha = 1/2: the step goes 80 % of the way.
  ElementMesh<3> mesh;
  mesh.x_rest = VecX::Zero(12);
  mesh.x_rest[3] = mesh.x_rest[7] = mesh.x_rest[11] = 1.0;
  mesh.nodes = {0, 1, 2, 3};
  mesh.material_of_element = {0};
  mesh.materials = {make_material(ElasticModel::st_venant_kirchhoff, 1, 0.3)};
  ElasticPotential<3> potential(mesh);
  VecX dx = VecX::Zero(12);
  dx[11] = -2.0;
  const StepLimit limit = potential.max_feasible_step(mesh.x_rest, dx);
  EXPECT_EQ(limit.element, 0);
  EXPECT_LE(limit.alpha, 0.4);
  EXPECT_GT(limit.alpha, 0.4 * (1 - 2e-3));
}

TEST(StepBound, RigidTranslationAndGrowthAreUnlimited) {
  std::mt19937_64 rng(53);
  const ElementMesh<3> mesh = make_grid<3>(3, 1.0, 0.1, rng);
  ElasticPotential<3> potential(mesh);
  const StepLimit moved = potential.max_feasible_step(mesh.x_rest, VecX::Constant(mesh.x_rest.size(), 1e3));
  EXPECT_EQ(moved.alpha, 1.0);
  EXPECT_EQ(moved.element, -1);
  EXPECT_EQ(potential.max_feasible_step(mesh.x_rest, 3.0 * mesh.x_rest).alpha, 1.0);
}

TEST(StepBound, InversionThatHealsBeforeTheEndOfTheStepIsSeen) {
  // The element shrinks to twice minus itself: det = (1 - 3 a)^3, or in 2D (1 - 3 a)^2, is positive again at the end.
  std::mt19937_64 rng(54);
  const ElementMesh<2> mesh = make_grid<2>(3, 1.0, 0.1, rng);
  ElasticPotential<2> potential(mesh);
  const StepLimit limit = potential.max_feasible_step(mesh.x_rest, -3.0 * mesh.x_rest);
  EXPECT_TRUE(potential.is_feasible(-2.0 * mesh.x_rest));
  EXPECT_NEAR(limit.alpha, (1 - std::sqrt(kept_volume_fraction)) / 3, 1e-3);
}

TEST(StepBound, StartsThatAreInvertedOrNotANumberAllowNoStep) {
  std::mt19937_64 rng(55);
  const ElementMesh<3> mesh = make_grid<3>(2, 1.0, 0.0, rng);
  ElasticPotential<3> potential(mesh);
  const VecX dx = VecX::Random(mesh.x_rest.size());
  EXPECT_EQ(potential.max_feasible_step(-mesh.x_rest, dx).alpha, 0.0);
  VecX bad = dx;
  bad[4] = std::nan("");
  EXPECT_EQ(potential.max_feasible_step(mesh.x_rest, bad).alpha, 0.0);
  bad[4] = infinity;
  EXPECT_EQ(potential.max_feasible_step(mesh.x_rest, bad).alpha, 0.0);
  bad[4] = 1e300;
  EXPECT_TRUE(potential.is_feasible(mesh.x_rest + potential.max_feasible_step(mesh.x_rest, bad).alpha * bad));
}

TEST(StepBound, VerdictIsExactForNearlyFlatElements) {
  // The apex is one unit in the last place above, on, and below a slanted base.
  ElementMesh<3> mesh;
  mesh.x_rest = VecX::Zero(12);
  mesh.x_rest << 0, 0, 0, 1, 0, 0.1, 0, 1, 0.1, 0, 0, 1;
  mesh.nodes = {0, 1, 2, 3};
  mesh.material_of_element = {0};
  mesh.materials = {make_material(ElasticModel::neo_hookean, 1, 0.3)};
  ElasticPotential<3> potential(mesh);
  VecX x = mesh.x_rest;
  x.tail<3>() << 0.5, 0.5, 0.1;
  EXPECT_FALSE(potential.is_feasible(x));
  x[11] = std::nextafter(0.1, 1.0);
  EXPECT_TRUE(potential.is_feasible(x));
  x[11] = std::nextafter(0.1, 0.0);
  EXPECT_FALSE(potential.is_feasible(x));
}

}  // namespace
}  // namespace clearance
