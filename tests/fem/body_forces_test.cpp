// Gravity, damping and mass.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "fem_fixtures.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using namespace test;

TEST(Gravity, EnergyIsWeightTimesHeightAndForceIsWeight) {
  VecX mass(3), x(9);
  mass << 2, 0, 3;
  x << 0, 1, 0, 7, 8, 9, 1, 4, 1;
  GravityPotential<3> gravity(mass, Vec<3>(0, -10, 0));
  EXPECT_NEAR(gravity.energy(x).value(), 2 * 10 * 1 + 3 * 10 * 4, 1e-13);
  VecX g = VecX::Zero(9);
  gravity.add_gradient(x, 0.5, g);
  VecX expected = VecX::Zero(9);
  expected[1] = 10;
  expected[7] = 15;
  EXPECT_EQ(g, expected);
}

TEST(Loads, AreTakenAtTheEndOfTheStepAndTheirEnergyIsMinusForceTimesPosition) {
  LoadPotential loads(3, [](double, double time_t1, VecX& force) {
    force[1] += 4.0 * time_t1;
    return Result<Done>(Done{});
  });
  const VecX x = Vec<3>(7, 8, 9);
  EXPECT_EQ(loads.energy(x).value(), 0.0);
  for (double time : {0.5, 0.25}) {
    ASSERT_TRUE(loads.begin_step(x, 0.01, time));
    EXPECT_EQ(loads.energy(x).value(), -4.0 * time * 8);
    VecX g = Vec<3>(1, 1, 1);
    loads.add_gradient(x, 0.5, g);
    EXPECT_EQ(g, VecX(Vec<3>(1, 1 - 2.0 * time, 1)));
  }
}

TEST(Loads, ThatAreUndefinedSaySoWhenTheStepBegins) {
  LoadPotential loads(3, [](double, double, VecX&) -> Result<Done> { return Issue{"", "here", "", "no value"}; });
  const Result<Done> begun = loads.begin_step(VecX::Zero(3), 0.01, 0.01);
  ASSERT_FALSE(begun);
  EXPECT_EQ(to_string(begun.issues().front()), "here: no value");
}

template <int dim>
ElementMesh<dim> damped_grid(std::mt19937_64& rng) {
  ElementMesh<dim> mesh = make_grid<dim>(2, 1.0, 0.1, rng);
  mix_materials(mesh, 0.02);
  mesh.materials[1].damping = 0.0;  // one model without damping
  return mesh;
}

template <int dim>
void check_damping() {
  std::mt19937_64 rng(61);
  const ElementMesh<dim> mesh = damped_grid<dim>(rng);
  LaggedDampingPotential<dim> damping(mesh);
  const VecX x_t0 = random_state(mesh, 0.2, rng), x = random_state(mesh, 0.2, rng);
  ASSERT_TRUE(damping.begin_step(x_t0, 0.01, 0.01));

  // Energy and force are zero at the start of the step, and the energy is positive elsewhere.
  VecX g = VecX::Zero(x.size());
  damping.add_gradient(x_t0, 1.0, g);
  EXPECT_EQ(g.norm(), 0.0);
  EXPECT_EQ(damping.energy(x_t0).value(), 0.0);
  EXPECT_GT(damping.energy(x).value(), 1e-3);

  const auto energy = [&](const VecX& y) { return damping.energy(y).value(); };
  damping.add_gradient(x, 1.0, g);
  EXPECT_LT(relative_difference(g, finite_difference_gradient(energy, x)), 1e-7);

  // The energy is quadratic: the gradient is Hessian times displacement, the Hessian c/h times the projected elastic
  // one at x_t0.
  BlockSparseMatrix matrix = empty_matrix(mesh, damping.pattern());
  damping.add_hessian(x, 1.0, matrix);
  EXPECT_LT((matrix.multiply(x - x_t0) - g).norm(), 1e-12 * g.norm());
  ElementMesh<dim> undamped_removed = mesh;
  undamped_removed.materials[1].mu = undamped_removed.materials[1].lambda = 0.0;
  ElasticPotential<dim> elastic(undamped_removed);
  BlockSparseMatrix stiffness = empty_matrix(mesh, elastic.pattern());
  elastic.add_hessian(x_t0, 0.02 / 0.01, stiffness);
  EXPECT_LT(relative_difference(to_dense(matrix), to_dense(stiffness)), 1e-12);
}

TEST(Damping, IsTheQuadraticFormOfTheLaggedStiffness) {
  check_damping<2>();
  check_damping<3>();
}

TEST(Damping, IsInactiveWithoutCoefficientStepOrSnapshot) {
  std::mt19937_64 rng(62);
  ElementMesh<3> mesh = make_grid<3>(2, 1.0, 0.0, rng);
  LaggedDampingPotential<3> none(mesh);
  EXPECT_FALSE(none.has_elements());
  EXPECT_TRUE(none.pattern().empty());
  ASSERT_TRUE(none.begin_step(mesh.x_rest, 0.01, 0.01));
  EXPECT_EQ(none.energy(2 * mesh.x_rest).value(), 0.0);

  mesh.materials[0].damping = 0.1;
  LaggedDampingPotential<3> damping(mesh);
  EXPECT_TRUE(damping.has_elements());
  EXPECT_EQ(damping.energy(2 * mesh.x_rest).value(), 0.0);
  ASSERT_TRUE(damping.begin_step(mesh.x_rest, 0.0, 0.0));
  EXPECT_EQ(damping.energy(2 * mesh.x_rest).value(), 0.0);
  ASSERT_TRUE(damping.begin_step(mesh.x_rest, 0.01, 0.01));
  EXPECT_GT(damping.energy(2 * mesh.x_rest).value(), 0.0);
}

TEST(Mass, LumpedMassOfABarIsItsDensityTimesVolume) {
  std::mt19937_64 rng(63);
  const ElementMesh<3> bar = make_grid<3>(3, 0.2, 0.0, rng);
  const VecX mass = lumped_mass(bar);
  EXPECT_NEAR(mass.sum(), 1000.0 * 0.6 * 0.6 * 0.6, 1e-10);
  EXPECT_GT(mass.minCoeff(), 0.0);
  const ElementMesh<2> plate = make_grid<2>(3, 0.2, 0.0, rng);
  EXPECT_NEAR(lumped_mass(plate).sum(), 1000.0 * 0.36, 1e-10);
  // One tetrahedron gives each node a quarter.
  ElementMesh<3> single = bar;
  single.nodes.resize(4);
  single.material_of_element.resize(1);
  for (const int node : single.nodes) {
    EXPECT_NEAR(lumped_mass(single)[node], 1000.0 * 0.008 / 6 / 4, 1e-15);
  }
}

TEST(Mass, BlocksWithoutElementsHaveNoMass) {
  std::mt19937_64 rng(64);
  ElementMesh<3> mesh = make_grid<3>(1, 1.0, 0.0, rng);
  mesh.x_rest.conservativeResize(mesh.x_rest.size() + 3);
  mesh.x_rest.tail<3>().setZero();
  EXPECT_EQ(lumped_mass(mesh).size(), 9);
  EXPECT_EQ(lumped_mass(mesh)[8], 0.0);
}

template <int dim>
void check_consistent_mass() {
  std::mt19937_64 rng(65);
  const ElementMesh<dim> mesh = make_grid<dim>(2, 0.5, 0.1, rng);
  // Stiff bodies have weights on the diagonal of two blocks.
  VecX others = VecX::Zero(mesh.x_rest.size() / dim);
  others[1] = 3.0;
  others[4] = 0.5;
  ConsistentMass<dim> mass(std::vector{mesh}, others);
  BlockSparseMatrix matrix = empty_matrix(mesh, mass.keys());
  mass.add_to(1.0, matrix);
  // Rows sum to the lumped mass; matrix and product agree; positive definite.
  VecX rows = VecX::Zero(mesh.x_rest.size());
  mass.add_product(VecX::Ones(mesh.x_rest.size()), 1.0, rows);
  const VecX lumped = lumped_mass(mesh) + others;
  for (int b = 0; b < lumped.size(); ++b) EXPECT_NEAR(rows[dim * b], lumped[b], 1e-12 * lumped[b]);
  const VecX v = VecX::Random(mesh.x_rest.size());
  VecX product = VecX::Zero(v.size());
  mass.add_product(v, 2.0, product);
  EXPECT_LT((matrix.multiply(v) * 2.0 - product).norm(), 1e-13 * product.norm());
  EXPECT_NEAR(2.0 * mass.energy(v).value(), v.dot(product) / 2, 1e-12 * v.dot(product));
  const MatX dense = to_dense(matrix);
  EXPECT_GT(dense.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0.0);
}

TEST(Mass, ConsistentMassSumsToTheLumpedMass) {
  check_consistent_mass<2>();
  check_consistent_mass<3>();
}

TEST(Mass, ConsistentMassOfALinearFieldIsItsIntegral) {
  // v = x over the unit cube: integral of density |x|^2 = density * 3 * 1/3.
  std::mt19937_64 rng(66);
  const ElementMesh<3> cube = make_grid<3>(2, 0.5, 0.0, rng);
  EXPECT_NEAR(
      2.0 * ConsistentMass<3>(std::vector{cube}, VecX::Zero(cube.x_rest.size() / 3)).energy(cube.x_rest).value(),
      1000.0, 1e-9);
}

TEST(Mass, InvertedElementsAreFoundExactly) {
  std::mt19937_64 rng(67);
  ElementMesh<3> mesh = make_grid<3>(2, 1.0, 0.0, rng);
  EXPECT_TRUE(find_inverted_elements(mesh, mesh.x_rest).empty());
  std::swap(mesh.nodes[4 * 5], mesh.nodes[4 * 5 + 1]);
  mesh.nodes[4 * 9 + 3] = mesh.nodes[4 * 9 + 2];
  EXPECT_EQ(find_inverted_elements(mesh, mesh.x_rest), (std::vector<int>{5, 9}));
}

}  // namespace
}  // namespace clearance
