#include "clearance/bodies/fem/inversion_barrier.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "fem_fixtures.h"
#include "support/finite_differences.h"

namespace clearance::test {
namespace {

/// Returns one element pressed to the fraction j of its volume, with some shear.
template <int dim>
ElementMesh<dim> one_element(ElasticModel model) {
  ElementMesh<dim> mesh;
  mesh.x_rest = VecX::Zero(dim * (dim + 1));
  for (int a = 0; a <= dim; ++a) mesh.nodes.push_back(a);
  for (int a = 0; a < dim; ++a) mesh.x_rest[dim * (a + 1) + a] = 1.0 + 0.1 * a;
  mesh.x_rest[dim] += 0.2;
  mesh.material_of_element = {0};
  mesh.materials = {make_material(model, 100.0, 0.3, 10.0)};
  return mesh;
}

template <int dim>
VecX pressed(const ElementMesh<dim>& mesh, double j, std::mt19937_64& rng) {
  Vec<dim> stretches = Vec<dim>::Ones();
  stretches[0] = 1.3;
  stretches[dim - 1] = j / 1.3;
  const Mat<dim> f = with_singular_values<dim>(stretches, rng);
  VecX x = mesh.x_rest;
  for (int a = 0; a <= dim; ++a) block<dim>(x, a) = f * block<dim>(mesh.x_rest, a);
  return x;
}

template <int dim>
void check_derivatives(double j) {
  std::mt19937_64 rng(7);
  const auto mesh = one_element<dim>(ElasticModel::st_venant_kirchhoff);
  InversionBarrier<dim> barrier(mesh);
  const VecX x = pressed<dim>(mesh, j, rng);
  const auto gradient_at = [&](const VecX& at) {
    VecX gradient = VecX::Zero(at.size());
    barrier.add_gradient(at, 2.0, gradient);
    return gradient;
  };
  const VecX expected =
      2.0 * finite_difference_gradient([&](const VecX& at) { return barrier.energy(at).value(); }, x, 1e-7);
  EXPECT_GT(expected.norm(), 0.0);
  EXPECT_LT(relative_difference(gradient_at(x), expected), 1e-5) << "J " << j;

  // The projected Hessian is the nearest to the true one: equal on every direction that the true one curves upwards.
  BlockSparseMatrix matrix = empty_matrix(mesh, barrier.pattern());
  barrier.add_hessian(x, 2.0, matrix);
  const MatX projected = to_dense(matrix);
  const MatX exact = finite_difference_jacobian(gradient_at, x, 1e-7);
  const Eigen::SelfAdjointEigenSolver<MatX> spectrum(projected);
  EXPECT_GE(spectrum.eigenvalues()[0], -1e-9 * spectrum.eigenvalues().maxCoeff());
  const VecX steepest = spectrum.eigenvectors().col(projected.rows() - 1);
  EXPECT_NEAR(steepest.dot(projected * steepest) / steepest.dot(exact * steepest), 1.0, 0.05) << "J " << j;
}

TEST(InversionBarrier, DerivativesMatchFiniteDifferences) {
  for (const double j : {0.09, 0.05, 0.01}) {
    check_derivatives<2>(j);
    check_derivatives<3>(j);
  }
}

TEST(InversionBarrier, IsZeroAboveATenthOfTheVolumeAndGrowsWithoutBoundBelow) {
  std::mt19937_64 rng(8);
  const auto mesh = one_element<3>(ElasticModel::linear_elasticity);
  InversionBarrier<3> barrier(mesh);
  EXPECT_EQ(barrier.energy(pressed<3>(mesh, 0.101, rng)).value(), 0.0);
  VecX gradient = VecX::Zero(12);
  barrier.add_gradient(mesh.x_rest, 1.0, gradient);
  EXPECT_EQ(gradient.norm(), 0.0);
  double last = 0.0;
  for (const double j : {0.09, 0.01, 1e-4, 1e-8}) {
    const double energy = barrier.energy(pressed<3>(mesh, j, rng)).value();
    EXPECT_GT(energy, last) << "J " << j;
    last = energy;
  }
  EXPECT_EQ(barrier.energy(VecX::Zero(12)).value(), infinity);
}

TEST(InversionBarrier, NeoHookeanNeedsNone) {
  EXPECT_FALSE(InversionBarrier<3>(one_element<3>(ElasticModel::neo_hookean)).has_elements());
  EXPECT_TRUE(InversionBarrier<2>(one_element<2>(ElasticModel::fixed_corotational)).has_elements());
}

TEST(InversionBarrier, GuardsBarrierModelsWhereAllElementsAreToBe) {
  std::mt19937_64 rng(8);
  const auto mesh = one_element<3>(ElasticModel::neo_hookean);
  EXPECT_FALSE(InversionBarrier<3>(mesh).has_elements());
  const InversionBarrier<3> barrier(mesh, GuardedElements::all);
  EXPECT_GT(barrier.energy(pressed<3>(mesh, 0.05, rng)).value(), 0.0);
  EXPECT_EQ(barrier.energy(pressed<3>(mesh, 0.2, rng)).value(), 0.0);
}

}  // namespace
}  // namespace clearance::test
