// Damping of elements of order 2 to 4, compared with the stiffness, with linear elements and with finite differences.
#include "clearance/bodies/fem/damping_potential.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "curved_fixtures.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using namespace test;

constexpr double coefficient = 0.02, time_step = 0.01;  // [s]

template <class Function>
void for_all_orders(const Function& check) {
  for (int order = 2; order <= max_order; ++order) {
    SCOPED_TRACE(::testing::Message() << "order " << order);
    check(std::integral_constant<int, 2>(), order);
    check(std::integral_constant<int, 3>(), order);
  }
}

/// Returns a grid of all four materials, one of them without damping.
template <int dim>
ElementMesh<dim> damped_grid(int cells, std::mt19937_64& rng) {
  ElementMesh<dim> mesh = make_grid<dim>(cells, 1.0, 0.05, rng);
  mix_materials(mesh, coefficient);
  mesh.materials[1].damping = 0.0;
  return mesh;
}

/// Returns the same grid with some elements curved.
template <int dim>
ElementMesh<dim> curved_grid(int order, std::mt19937_64& rng) {
  ElementMesh<dim> mesh = raised<dim>(damped_grid<dim>(dim == 2 ? 2 : 1, rng), order);
  block<dim>(mesh.x_rest, mesh.nodes[dim + 1]) += Vec<dim>::Constant(0.03);
  return mesh;
}

/// Returns positions of the nodes of raised elements at the places where linear ones, with their corners at x, put
/// them.
template <int dim>
VecX raised_positions(ElementMesh<dim> linear, int order, const VecX& x) {
  linear.x_rest = x;
  return raised<dim>(linear, order).x_rest;
}

template <class Potential>
VecX gradient_of(Potential& potential, const VecX& x) {
  VecX gradient = VecX::Zero(x.size());
  potential.add_gradient(x, 1.0, gradient);
  return gradient;
}

TEST(CurvedDamping, IsTheQuadraticFormOfTheLaggedStiffness) {
  for_all_orders([](auto dim, int order) {
    std::mt19937_64 rng(61);
    const ElementMesh<dim> mesh = curved_grid<dim>(order, rng);
    LaggedDampingPotential<dim> damping(mesh);
    const VecX x_t0 = random_state<dim>(mesh, 0.1, rng), x = random_state<dim>(mesh, 0.1, rng);
    ASSERT_TRUE(damping.begin_step(x_t0, time_step, time_step));
    EXPECT_EQ(damping.energy(x_t0).value(), 0.0);
    EXPECT_TRUE(gradient_of(damping, x_t0).isZero(0.0));
    EXPECT_GT(damping.energy(x).value(), 1e-3);

    BlockSparseMatrix matrix = empty_matrix(mesh, damping.pattern());
    damping.add_hessian(x, 1.0, matrix);
    const MatX dense = to_dense(matrix);
    const VecX g = gradient_of(damping, x), u = x - x_t0;
    EXPECT_LT(relative_difference(g, dense * u), 1e-12);
    EXPECT_NEAR(damping.energy(x).value(), 0.5 * u.dot(g), 1e-12 * u.dot(g));
    ElementMesh<dim> without_undamped = mesh;
    without_undamped.materials[1].mu = without_undamped.materials[1].lambda = 0.0;
    ElasticPotential<dim> elastic(without_undamped);
    BlockSparseMatrix stiffness = empty_matrix(mesh, elastic.pattern());
    elastic.add_hessian(x_t0, coefficient / time_step, stiffness);
    EXPECT_LT(relative_difference(dense, to_dense(stiffness)), 1e-13);
  });
}

TEST(CurvedDamping, DerivativesMatchFiniteDifferences) {
  for_all_orders([](auto dim, int order) {
    std::mt19937_64 rng(62);
    const ElementMesh<dim> mesh = curved_grid<dim>(order, rng);
    LaggedDampingPotential<dim> damping(mesh);
    const VecX x_t0 = random_state<dim>(mesh, 0.1, rng), x = random_state<dim>(mesh, 0.1, rng);
    ASSERT_TRUE(damping.begin_step(x_t0, time_step, time_step));
    const auto energy = [&](const VecX& y) { return damping.energy(y).value(); };
    const auto gradient = [&](const VecX& y) { return gradient_of(damping, y); };
    const VecX g = gradient(x);
    EXPECT_GT(g.norm(), 0.1);
    EXPECT_LT(relative_difference(g, finite_difference_gradient(energy, x)), 1e-6);
    BlockSparseMatrix matrix = empty_matrix(mesh, damping.pattern());
    damping.add_hessian(x, 2.0, matrix);
    const MatX dense = to_dense(matrix);
    EXPECT_LT(relative_difference(dense, 2.0 * finite_difference_jacobian(gradient, x)), 1e-6);
    EXPECT_GE(Eigen::SelfAdjointEigenSolver<MatX>(dense).eigenvalues()[0], -1e-10 * dense.cwiseAbs().maxCoeff());
  });
}

/// Straight elements at a piecewise linear state have the constant F of the linear ones; for piecewise linear
/// displacements the energies agree, and so does the work of the forces on such displacements.
TEST(CurvedDamping, OfRaisedElementsIsThatOfLinearOnesInTheirMotions) {
  double largest = 0.0;
  for_all_orders([&](auto dim, int order) {
    std::mt19937_64 rng(63);
    const ElementMesh<dim> linear = damped_grid<dim>(2, rng);
    const ElementMesh<dim> mesh = raised<dim>(linear, order);
    LaggedDampingPotential<dim> twin(linear);
    LaggedDampingPotential<dim> damping(mesh);
    const VecX x_t0 = test::random_state<dim>(linear, 0.2, rng), x = test::random_state<dim>(linear, 0.2, rng);
    const VecX other = test::random_state<dim>(linear, 0.2, rng) - x;
    ASSERT_TRUE(twin.begin_step(x_t0, time_step, time_step));
    ASSERT_TRUE(damping.begin_step(raised_positions<dim>(linear, order, x_t0), time_step, time_step));
    const VecX at = raised_positions<dim>(linear, order, x);
    const VecX along = raised_positions<dim>(linear, order, VecX(x + other)) - at;
    const double energy = twin.energy(x).value(), work = gradient_of(twin, x).dot(other);
    largest = std::max({largest, std::abs(damping.energy(at).value() / energy - 1.0),
                        std::abs(gradient_of(damping, at).dot(along) - work) / energy});
  });
  printf("largest relative difference from linear elements: %.3g\n", largest);
  EXPECT_LT(largest, 1e-12);
}

/// No force resists a translation, nor a small rotation of an unstressed body.
TEST(CurvedDamping, LeavesRigidMotionsAlone) {
  for_all_orders([](auto dim, int order) {
    std::mt19937_64 rng(64);
    const ElementMesh<dim> mesh = curved_grid<dim>(order, rng);
    LaggedDampingPotential<dim> damping(mesh);
    const VecX x_t0 = random_state<dim>(mesh, 0.1, rng);
    VecX shift(x_t0.size()), turn(x_t0.size());
    for (int b = 0; b < x_t0.size() / dim; ++b) {
      block<dim>(shift, b) = 0.1 * Vec<dim>::LinSpaced(1.0, 2.0);
      block<dim>(turn, b).setZero();
      block<dim>(turn, b)[0] = -0.1 * block<dim>(mesh.x_rest, b)[1];
      block<dim>(turn, b)[1] = 0.1 * block<dim>(mesh.x_rest, b)[0];
    }
    ASSERT_TRUE(damping.begin_step(x_t0, time_step, time_step));
    const double scale = gradient_of(damping, random_state<dim>(mesh, 0.1, rng)).cwiseAbs().maxCoeff();
    EXPECT_LT(gradient_of(damping, x_t0 + shift).cwiseAbs().maxCoeff(), 1e-12 * scale);
    ASSERT_TRUE(damping.begin_step(mesh.x_rest, time_step, time_step));
    EXPECT_LT(gradient_of(damping, mesh.x_rest + turn).cwiseAbs().maxCoeff(), 1e-11 * scale);
  });
}

TEST(CurvedDamping, APartHasTheDerivativesOfTheWhole) {
  for_all_orders([](auto dim, int order) {
    std::mt19937_64 rng(65);
    const ElementMesh<dim> mesh = raised<dim>(damped_grid<dim>(dim == 2 ? 6 : 3, rng), order);
    std::vector<char> part(mesh.x_rest.size() / dim, 0);
    for (std::size_t b = 0; b < part.size(); ++b) {
      part[b] = block<dim>(mesh.x_rest, static_cast<int>(b)).maxCoeff() < 0.4 ? 1 : 0;
    }
    const VecX x_t0 = random_state<dim>(mesh, 0.1, rng), x = random_state<dim>(mesh, 0.1, rng);
    LaggedDampingPotential<dim> whole(mesh);
    ASSERT_TRUE(whole.begin_step(x_t0, time_step, time_step));
    LaggedDampingPotential<dim> restricted = whole;
    restricted.restrict_to(part);
    EXPECT_LT(restricted.energy(x).value(), 0.9 * whole.energy(x).value());
    VecX g_whole = VecX::Zero(x.size()), g_part = g_whole;
    BlockSparseMatrix h_whole = empty_matrix(mesh, whole.pattern()), h_part = h_whole;
    whole.add_derivatives(x, 1.0, g_whole, h_whole);
    restricted.add_derivatives(x, 1.0, g_part, h_part);
    const VecX d = x - x_t0, of_whole = h_whole.multiply(d), of_part = h_part.multiply(d);
    for (std::size_t b = 0; b < part.size(); ++b) {
      if (!part[b]) continue;
      const int row = dim * static_cast<int>(b);
      EXPECT_EQ(g_part.segment(row, dim), g_whole.segment(row, dim));
      EXPECT_EQ(of_part.segment(row, dim), of_whole.segment(row, dim));
    }
  });
}

TEST(CurvedDamping, IsInactiveWithoutCoefficientStepOrSnapshot) {
  std::mt19937_64 rng(66);
  ElementMesh<3> mesh = raised<3>(make_grid<3>(1, 1.0, 0.0, rng), 2);
  LaggedDampingPotential<3> none(mesh);
  EXPECT_FALSE(none.has_elements());
  EXPECT_TRUE(none.pattern().empty());
  ASSERT_TRUE(none.begin_step(mesh.x_rest, time_step, time_step));
  EXPECT_EQ(none.energy(2.0 * mesh.x_rest).value(), 0.0);

  mesh.materials[0].damping = 0.1;
  LaggedDampingPotential<3> damping(mesh);
  EXPECT_TRUE(damping.has_elements());
  EXPECT_TRUE(damping.is_dissipative());
  EXPECT_EQ(damping.energy(2.0 * mesh.x_rest).value(), 0.0);
  ASSERT_TRUE(damping.begin_step(mesh.x_rest, 0.0, 0.0));
  EXPECT_EQ(damping.energy(2.0 * mesh.x_rest).value(), 0.0);
  ASSERT_TRUE(damping.begin_step(mesh.x_rest, time_step, time_step));
  EXPECT_GT(damping.energy(2.0 * mesh.x_rest).value(), 0.0);
}

}  // namespace
}  // namespace clearance
