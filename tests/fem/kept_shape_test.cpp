// Elements whose shape is of a higher order than their displacements [Fer23, sec. 5.4].
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "clearance/bodies/fem/damping_potential.h"
#include "clearance/bodies/fem/elastic_potential.h"
#include "clearance/bodies/fem/inversion_barrier.h"
#include "clearance/bodies/fem/mass.h"
#include "curved_fixtures.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using namespace test;

/// Calls `check` with a bent grid of all four materials, for each pair of orders.
template <class Function>
void for_all_pairs(const Function& check) {
  const auto run = [&check](auto dim, int order, int shape_order) {
    SCOPED_TRACE(::testing::Message() << dim << "D, displacements of order " << order << ", shape of " << shape_order);
    std::mt19937_64 rng(static_cast<unsigned>(10 * order + shape_order));
    ElementMesh<dim> linear = make_grid<dim>(dim == 2 ? 2 : 1, 1.0, 0.05, rng);
    mix_materials(linear);
    for (MaterialParameters& material : linear.materials) material.damping = 0.3;
    const ElementMesh<dim> shape =
        raised<dim>(linear, shape_order, [](const auto& x) { return bent<decltype(dim)::value>(x, 0.15); });
    check(dim, shape, with_kept_shape<dim>(shape, order), rng);
  };
  for (const auto& [order, shape_order] : {std::pair(1, 2), std::pair(1, 3), std::pair(2, 4)}) {
    run(std::integral_constant<int, 2>(), order, shape_order);
    run(std::integral_constant<int, 3>(), order, shape_order);
  }
}

template <int dim>
void expect_derivatives(Potential& potential, const ElementMesh<dim>& mesh, const VecX& x, double step) {
  const auto energy = [&](const VecX& y) { return potential.energy(y).value(); };
  const auto gradient = [&](const VecX& y) {
    VecX g = VecX::Zero(y.size());
    potential.add_gradient(y, 1.0, g);
    return g;
  };
  const VecX g = gradient(x);
  EXPECT_GT(g.norm(), 0.1);
  EXPECT_LT(relative_difference(g, finite_difference_gradient(energy, x, step)), 1e-6);
  BlockSparseMatrix exact = empty_matrix(mesh, potential.pattern()), projected = exact;
  VecX again = VecX::Zero(x.size());
  potential.add_exact_derivatives(x, 2.0, again, exact);
  EXPECT_LT(relative_difference(again, 2.0 * g), 1e-12);
  EXPECT_LT(relative_difference(to_dense(exact), 2.0 * finite_difference_jacobian(gradient, x, step)), 1e-5);
  potential.add_hessian(x, 1.0, projected);
  const MatX dense = to_dense(projected);
  EXPECT_EQ(dense, MatX(dense.transpose()));
  EXPECT_GE(Eigen::SelfAdjointEigenSolver<MatX>(dense).eigenvalues()[0], -1e-10 * dense.cwiseAbs().maxCoeff());
}

TEST(KeptShape, DerivativesMatchFiniteDifferences) {
  for_all_pairs([](auto dim, const auto& /*shape*/, const auto& mesh, std::mt19937_64& rng) {
    std::uniform_real_distribution<double> uniform(-0.05, 0.05);
    VecX x = mesh.x_rest.unaryExpr([&](double value) { return value + uniform(rng); });
    ElasticPotential<dim> elastic(mesh);
    ASSERT_TRUE(elastic.is_feasible(x));
    expect_derivatives<dim>(elastic, mesh, x, finite_difference_step);
    LaggedDampingPotential<dim> damping(mesh);
    ASSERT_TRUE(damping.begin_step(mesh.x_rest, 0.01, 0.01));
    VecX g = VecX::Zero(x.size());
    damping.add_gradient(x, 1.0, g);
    const auto energy = [&](const VecX& y) { return damping.energy(y).value(); };
    EXPECT_LT(relative_difference(g, finite_difference_gradient(energy, x, finite_difference_step)), 1e-6);

    // Flatten the shape until the barrier acts.
    InversionBarrier<dim> barrier(mesh);
    EXPECT_EQ(barrier.energy(mesh.x_rest).value(), 0.0);
    VecX flat = VecX::Zero(x.size());
    for (Eigen::Index i = 0; i < x.size(); i += dim) flat[i] = -(mesh.x_rest[i] + 0.1 * x[i]);
    double alpha = 1.0;
    while (!(barrier.energy(mesh.x_rest + alpha * flat).value() < infinity)) alpha *= 0.98;
    expect_derivatives<dim>(barrier, mesh, mesh.x_rest + alpha * flat, 2e-7);
  });
}

TEST(KeptShape, IsUnstressedAtRestWhichTranslationsKeep) {
  for_all_pairs([](auto dim, const auto& /*shape*/, const auto& mesh, std::mt19937_64& /*rng*/) {
    ElasticPotential<dim> elastic(mesh);
    VecX x = mesh.x_rest;
    for (Eigen::Index i = 0; i < x.size(); i += dim) x[i] += 0.37;
    VecX g = VecX::Zero(x.size());
    elastic.add_gradient(x, 1.0, g);
    EXPECT_LT(g.cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LT(std::abs(elastic.energy(x).value()), 1e-12);
    for (const ElementState& state : elastic.element_states(x)) EXPECT_LT(state.principal_stress.norm(), 1e-11);
  });
}

TEST(KeptShape, HasTheMassAndTheCentreOfTheShape) {
  for_all_pairs([](auto dim, const auto& shape, const auto& mesh, std::mt19937_64& /*rng*/) {
    VecX of_shape = VecX::Zero(shape.x_rest.size() / dim), of_nodes = VecX::Zero(mesh.x_rest.size() / dim);
    ElementMass<dim>(shape).add_row_sums(of_shape);
    ElementMass<dim>(mesh).add_row_sums(of_nodes);
    EXPECT_NEAR(of_nodes.sum(), of_shape.sum(), 1e-12 * of_shape.sum());
    Vec<dim> expected = Vec<dim>::Zero(), moment = Vec<dim>::Zero();
    for (int b = 0; b < of_shape.size(); ++b) expected += of_shape[b] * block<dim>(shape.x_rest, b);
    for (int b = 0; b < of_nodes.size(); ++b) moment += of_nodes[b] * block<dim>(mesh.x_rest, b);
    for (const Vec<dim>& of_element : shape_moments(mesh)) moment += of_element;
    EXPECT_LT((moment - expected).norm(), 1e-12 * expected.norm());
  });
}

// Straight elements can represent a uniform strain by their displacements.
TEST(KeptShape, IsThatOfTheDisplacementsForStraightElements) {
  std::mt19937_64 rng(3);
  ElementMesh<3> linear = make_grid<3>(2, 1.0, 0.05, rng);
  mix_materials(linear);
  const ElementMesh<3> mesh = with_kept_shape<3>(raised<3>(linear, 4), 2),
                       plain = with_kept_shape<3>(raised<3>(linear, 2), 2);
  ElementMesh<3> expected = plain;
  expected.higher_shape_order = 0;
  expected.shapes_at_rest.clear();
  ASSERT_EQ(mesh.nodes, expected.nodes);
  std::uniform_real_distribution<double> uniform(-0.05, 0.05);
  const VecX x = expected.x_rest.unaryExpr([&](double value) { return value + uniform(rng); });
  ElasticPotential<3> kept(mesh), own(expected);
  EXPECT_NEAR(kept.energy(x).value(), own.energy(x).value(), 1e-11 * own.energy(x).value());
  VecX g = VecX::Zero(x.size()), g_own = g;
  kept.add_gradient(x, 1.0, g);
  own.add_gradient(x, 1.0, g_own);
  EXPECT_LT(relative_difference(g, g_own), 1e-11);
}

// The certificate and the barrier look at the shape: a step that turns it inside out between the nodes of the
// displacements is cut short.
TEST(KeptShape, StepsEndBeforeTheShapeIsInvertedAnywhere) {
  for_all_pairs([](auto dim, const auto& /*shape*/, const auto& mesh, std::mt19937_64& rng) {
    std::normal_distribution<double> normal(0.0, 1.0);
    ElasticPotential<dim> elastic(mesh);
    InversionBarrier<dim> barrier(mesh);
    const ElementShapes<dim> shapes = mesh.shapes();
    const CurvedVolume<dim> volume(mesh.shape_order());
    int num_cut = 0;
    for (int trial = 0; trial < 20; ++trial) {
      const VecX dx = mesh.x_rest.unaryExpr([&](double) { return normal(rng); });
      const double alpha =
          std::min(elastic.max_feasible_step(mesh.x_rest, dx).alpha, barrier.max_feasible_step(mesh.x_rest, dx).alpha);
      num_cut += alpha < 1.0;
      EXPECT_GT(alpha, 0.0);
      std::vector<double> places;
      for (const double part : {0.5, 1.0}) {
        for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
          shapes.places(static_cast<int>(e), mesh.x_rest + part * alpha * dx, places);
          EXPECT_TRUE(volume.is_valid(places));
        }
      }
      EXPECT_FALSE(elastic.is_feasible(mesh.x_rest + dx));
    }
    EXPECT_EQ(num_cut, 20);
  });
}

}  // namespace
}  // namespace clearance
