#include "clearance/bodies/fem/elastic_potential.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "fem_fixtures.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using namespace test;

template <int dim>
ElementMesh<dim> mixed_grid(int cells, std::mt19937_64& rng) {
  ElementMesh<dim> mesh = make_grid<dim>(cells, 1.0, 0.1, rng);
  mix_materials(mesh);
  return mesh;
}

template <int dim>
void check_derivatives() {
  std::mt19937_64 rng(31);
  const ElementMesh<dim> mesh = mixed_grid<dim>(dim == 2 ? 3 : 2, rng);
  ElasticPotential<dim> potential(mesh);
  for (int trial = 0; trial < 3; ++trial) {
    SCOPED_TRACE(::testing::Message() << "seed 31, dim " << dim << ", trial " << trial);
    const VecX x = random_state(mesh, 0.3, rng);
    const auto energy = [&](const VecX& y) { return potential.energy(y).value(); };
    const auto gradient = [&](const VecX& y) {
      VecX g = VecX::Zero(y.size());
      potential.add_gradient(y, 1.0, g);
      return g;
    };
    const VecX g = gradient(x);
    EXPECT_GT(g.norm(), 1.0);
    EXPECT_LT(relative_difference(g, finite_difference_gradient(energy, x)), 1e-6);

    BlockSparseMatrix matrix = empty_matrix(mesh, potential.pattern());
    VecX again = VecX::Zero(x.size());
    potential.add_exact_derivatives(x, 2.0, again, matrix);
    const MatX expected = 2.0 * finite_difference_jacobian(gradient, x);
    EXPECT_LT(relative_difference(to_dense(matrix), expected), 1e-5);
  }
}

TEST(ElasticPotential, DerivativesMatchFiniteDifferences) {
  check_derivatives<2>();
  check_derivatives<3>();
}

/// Checks that a restriction to a part agrees with the whole: changes of the energy, derivatives in its blocks, limits
/// and verdicts.
template <int dim>
void check_restriction() {
  std::mt19937_64 rng(77);
  const ElementMesh<dim> mesh = mixed_grid<dim>(dim == 2 ? 8 : 4, rng);
  const VecX x = random_state(mesh, 0.1, rng);
  const auto num_blocks = static_cast<int>(x.size()) / dim;
  std::uniform_real_distribution<double> uniform(-0.05, 0.05);
  for (const int modulus : {2, 5, 17}) {
    SCOPED_TRACE(::testing::Message() << "dim " << dim << ", every " << modulus << "th node");
    std::vector<char> part(num_blocks, 0);
    VecX dx = VecX::Zero(x.size());
    for (int b = 0; b < num_blocks; b += modulus) {
      part[b] = 1;
      for (int r = 0; r < dim; ++r) dx[dim * b + r] = uniform(rng);
    }
    ElasticPotential<dim> whole(mesh), restricted(mesh);
    restricted.restrict_to(part);
    const auto change = [&](const Potential& potential) {
      CompensatedSum sum = potential.energy(x + dx);
      sum.add(-potential.energy(x).value());
      return sum.value();
    };
    EXPECT_NEAR(change(restricted), change(whole), 1e-12 * std::abs(whole.energy(x).value()));

    VecX g_whole = VecX::Zero(x.size()), g_restricted = g_whole;
    BlockSparseMatrix h_whole = empty_matrix(mesh, whole.pattern()), h_restricted = h_whole;
    whole.add_derivatives(x, 2.0, g_whole, h_whole);
    restricted.add_derivatives(x, 2.0, g_restricted, h_restricted);
    std::vector<int> blocks;
    for (int b = 0; b < num_blocks; b += modulus) {
      blocks.push_back(b);
      EXPECT_EQ(block<dim>(g_whole, b), block<dim>(g_restricted, b));
    }
    EXPECT_EQ(h_whole.principal(blocks).values(), h_restricted.principal(blocks).values());

    for (const double size : {1.0, 30.0}) {
      EXPECT_EQ(whole.max_feasible_step(x, size * dx).alpha, restricted.max_feasible_step(x, size * dx).alpha);
      EXPECT_EQ(whole.is_feasible(x + size * dx), restricted.is_feasible(x + size * dx));
    }
    restricted.restrict_to({});
    EXPECT_EQ(whole.energy(x).value(), restricted.energy(x).value());
  }
}

TEST(ElasticPotential, RestrictedToAPartDiffersByAConstant) {
  check_restriction<2>();
  check_restriction<3>();
}

/// Returns the sum of B^T P(dP/dF) B over elements, written with the plain functions of materials.h.
template <int dim>
MatX reference_hessian(const ElementMesh<dim>& mesh, const VecX& x) {
  MatX hessian = MatX::Zero(x.size(), x.size());
  for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
    const std::span<const int> nodes = mesh.nodes_of(e);
    const Mat<dim> rest = edge_matrix<dim>(mesh.x_rest, nodes), inverse = rest.inverse();
    const double volume = rest.determinant() / (dim == 2 ? 2 : 6);
    const Mat<dim> f = edge_matrix<dim>(x, nodes) * inverse;
    const MatX local = stress_derivative<dim>(mesh.materials[mesh.material_of_element[e]], f, true);
    // d vec(F) / d x
    MatX map = MatX::Zero(dim * dim, x.size());
    for (int a = 0; a < dim; ++a) {
      for (int c = 0; c < dim; ++c) {
        for (int r = 0; r < dim; ++r) {
          map(c * dim + r, dim * nodes[a + 1] + r) += inverse(a, c);
          map(c * dim + r, dim * nodes[0] + r) -= inverse(a, c);
        }
      }
    }
    hessian += volume * map.transpose() * local * map;
  }
  return hessian;
}

template <int dim>
void check_projected() {
  std::mt19937_64 rng(32);
  const ElementMesh<dim> mesh = mixed_grid<dim>(2, rng);
  ElasticPotential<dim> potential(mesh);
  for (int trial = 0; trial < 3; ++trial) {
    SCOPED_TRACE(::testing::Message() << "seed 32, dim " << dim << ", trial " << trial);
    const VecX x = random_state(mesh, 0.6, rng);
    BlockSparseMatrix matrix = empty_matrix(mesh, potential.pattern());
    potential.add_hessian(x, 1.0, matrix);
    const MatX dense = to_dense(matrix);
    EXPECT_LT(relative_difference(dense, reference_hessian(mesh, x)), 1e-10);
    EXPECT_EQ((dense - dense.transpose()).cwiseAbs().maxCoeff(), 0.0);
    const VecX eigenvalues = dense.selfadjointView<Eigen::Lower>().eigenvalues();
    EXPECT_GT(eigenvalues.minCoeff(), -1e-10 * eigenvalues.maxCoeff());
  }
}

TEST(ElasticPotential, ProjectedHessianEqualsElementByElementReference) {
  check_projected<2>();
  check_projected<3>();
}

TEST(ElasticPotential, GradientAndHessianInOnePassHaveTheSameBits) {
  std::mt19937_64 rng(33);
  const ElementMesh<3> mesh = mixed_grid<3>(3, rng);
  ElasticPotential<3> potential(mesh);
  const VecX x = random_state(mesh, 0.3, rng);
  BlockSparseMatrix together = empty_matrix(mesh, potential.pattern()), apart = together;
  VecX gradient_together = VecX::Ones(x.size()), gradient_apart = gradient_together;
  potential.add_derivatives(x, 0.01, gradient_together, together);
  potential.add_gradient(x, 0.01, gradient_apart);
  potential.add_hessian(x, 0.01, apart);
  EXPECT_EQ(gradient_together, gradient_apart);
  EXPECT_EQ(together.values(), apart.values());
}

TEST(ElasticPotential, SameBitsForAnyNumberOfThreads) {
  std::mt19937_64 rng(34);
  const ElementMesh<3> mesh = mixed_grid<3>(8, rng);
  const VecX x = random_state(mesh, 0.3, rng);
  const VecX dx = random_state(mesh, 0.5, rng) - x;
  struct Outcome {
    double energy, correction, alpha;
    int element;
    VecX gradient;
    std::vector<double> values;
  };
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    ElasticPotential<3> potential(mesh);
    BlockSparseMatrix matrix = empty_matrix(mesh, potential.pattern());
    Outcome outcome;
    const CompensatedSum energy = potential.energy(x);
    outcome.energy = energy.sum;
    outcome.correction = energy.correction;
    outcome.gradient = VecX::Zero(x.size());
    potential.add_derivatives(x, 1.0, outcome.gradient, matrix);
    outcome.values = matrix.values();
    const StepLimit step = potential.max_feasible_step(x, dx);
    outcome.alpha = step.alpha;
    outcome.element = step.element;
    return outcome;
  };
  const Outcome one = run(1);
  for (const int threads : {2, 4}) {
    const Outcome many = run(threads);
    EXPECT_EQ(one.energy, many.energy);
    EXPECT_EQ(one.correction, many.correction);
    EXPECT_EQ(one.gradient, many.gradient);
    EXPECT_EQ(one.values, many.values);
    EXPECT_EQ(one.alpha, many.alpha);
    EXPECT_EQ(one.element, many.element);
  }
}

TEST(ElasticPotential, DoesNotDependOnTheOrderOfElements) {
  std::mt19937_64 rng(35);
  const ElementMesh<3> mesh = mixed_grid<3>(3, rng);
  const VecX x = random_state(mesh, 0.3, rng);
  ElasticPotential<3> potential(mesh);
  ElementMesh<3> backwards = mesh;
  backwards.nodes.clear();
  backwards.material_of_element.clear();
  for (std::size_t e = mesh.num_elements(); e-- > 0;) backwards.add(mesh.nodes_of(e), mesh.material_of_element[e]);
  ElasticPotential<3> reversed(backwards);
  VecX a = VecX::Zero(x.size()), b = a;
  potential.add_gradient(x, 1.0, a);
  reversed.add_gradient(x, 1.0, b);
  EXPECT_LT((a - b).norm(), 1e-13 * a.norm());
  EXPECT_NEAR(potential.energy(x).value(), reversed.energy(x).value(), 1e-13 * potential.energy(x).value());
}

TEST(ElasticPotential, ForcesHaveNoResultantAndNoTorque) {
  std::mt19937_64 rng(36);
  ElementMesh<3> mesh = make_grid<3>(3, 1.0, 0.1, rng);
  for (const ElasticModel model :
       {ElasticModel::neo_hookean, ElasticModel::fixed_corotational, ElasticModel::st_venant_kirchhoff}) {
    mesh.materials[0].model = model;
    ElasticPotential<3> potential(mesh);
    const VecX x = random_state(mesh, 0.3, rng);
    VecX g = VecX::Zero(x.size());
    potential.add_gradient(x, 1.0, g);
    Vec<3> force = Vec<3>::Zero(), torque = Vec<3>::Zero();
    for (int b = 0; b < x.size() / 3; ++b) {
      const Vec<3> f = g.segment<3>(3 * b), at = x.segment<3>(3 * b);
      force += f;
      torque += Vec<3>(at[1] * f[2] - at[2] * f[1], at[2] * f[0] - at[0] * f[2], at[0] * f[1] - at[1] * f[0]);
    }
    EXPECT_LT(force.norm(), 1e-12 * g.norm());
    EXPECT_LT(torque.norm(), 1e-11 * g.norm());
  }
}

TEST(ElasticPotential, RigidMotionCostsNothing) {
  std::mt19937_64 rng(37);
  const ElementMesh<3> mesh = make_grid<3>(2, 0.1, 0.1, rng);
  ElasticPotential<3> potential(mesh);
  const Mat<3> rotation = random_rotation<3>(rng);
  VecX x = mesh.x_rest;
  for (int b = 0; b < x.size() / 3; ++b) {
    x.segment<3>(3 * b) = (rotation * mesh.x_rest.segment<3>(3 * b) + Vec<3>(5, -3, 2)).eval();
  }
  VecX g = VecX::Zero(x.size());
  potential.add_gradient(x, 1.0, g);
  EXPECT_LT(potential.energy(x).value(), 1e-20);
  EXPECT_LT(g.cwiseAbs().maxCoeff(), 1e-10);
}

TEST(ElasticPotential, UniformStretchHasTheEnergyOfItsVolume) {
  std::mt19937_64 rng(38);
  const ElementMesh<2> square = make_grid<2>(4, 0.5, 0.0, rng);  // 2 m x 2 m
  const double density = energy_density<2>(square.materials[0], 1.2 * Mat<2>::Identity());
  EXPECT_NEAR(ElasticPotential<2>(square).energy(1.2 * square.x_rest).value(), 4.0 * density, 1e-10 * density);
  const ElementMesh<3> cube = make_grid<3>(2, 0.5, 0.0, rng);  // 1 m^3
  const double density3 = energy_density<3>(cube.materials[0], 0.8 * Mat<3>::Identity());
  EXPECT_NEAR(ElasticPotential<3>(cube).energy(0.8 * cube.x_rest).value(), density3, 1e-10 * density3);
}

TEST(ElasticPotential, EnergyOfAnInvertedNeoHookeanElementIsInfinite) {
  std::mt19937_64 rng(39);
  const ElementMesh<3> mesh = make_grid<3>(5, 1.0, 0.0, rng);
  ElasticPotential<3> potential(mesh);
  VecX x = mesh.x_rest;
  EXPECT_LT(potential.energy(x).value(), infinity);
  for (const int node : {0, 17, 215}) {
    VecX moved = x;
    moved.segment<3>(3 * node) += Vec<3>(2.5, -2.3, 2.1);
    EXPECT_EQ(potential.energy(moved).value(), infinity) << node;
    EXPECT_FALSE(potential.is_feasible(moved)) << node;
  }
  EXPECT_EQ(potential.energy(-x).value(), infinity);
}

TEST(ElasticPotential, AcceptsAMatrixWhosePatternChanges) {
  std::mt19937_64 rng(40);
  const ElementMesh<2> mesh = mixed_grid<2>(2, rng);
  ElasticPotential<2> potential(mesh);
  const VecX x = random_state(mesh, 0.2, rng);
  BlockSparseMatrix small = empty_matrix(mesh, potential.pattern());
  potential.add_hessian(x, 1.0, small);
  std::vector<BlockKey> keys = potential.pattern();
  for (int i = 0; i < 9; ++i) keys.push_back(make_block_key(8, i));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  BlockSparseMatrix large = empty_matrix(mesh, keys);
  potential.add_hessian(x, 1.0, large);
  EXPECT_EQ(to_dense(small), to_dense(large));
}

}  // namespace
}  // namespace clearance
