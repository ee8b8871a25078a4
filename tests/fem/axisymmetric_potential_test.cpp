// Elements of bodies of revolution.
#include "clearance/bodies/fem/axisymmetric_potential.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <map>
#include <numbers>

#include "clearance/bodies/fem/curved_faces.h"
#include "clearance/bodies/fem/mass.h"
#include "fem_fixtures.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using namespace test;

/// Returns a grid whose first column is on the axis if `inner` is 0, of the order given, all four laws in turn.
ElementMesh<2> section(int cells, double inner, int order, double bend, std::mt19937_64& rng) {
  ElementMesh<2> linear = make_grid<2>(cells, 1.0, 0.1, rng);
  const int n = cells + 1;
  for (int i = 0; i < n * n; ++i) {
    linear.x_rest[2 * i] += inner;
    if (i % n == 0) linear.x_rest[2 * i] = inner;
  }
  mix_materials(linear);
  linear.is_axisymmetric = true;
  if (order == 1) return linear;
  // Elements of order 2: nodes in the middle of the sides, which `bend` curves away from the axis.
  ElementMesh<2> mesh = linear;
  mesh.order = order;
  mesh.nodes.clear();
  std::vector<Vec<2>> places;
  for (int i = 0; i < n * n; ++i) places.push_back(block<2>(linear.x_rest, i));
  std::map<std::pair<int, int>, int> middle;
  for (std::size_t e = 0; e < linear.num_elements(); ++e) {
    const std::span<const int> corners = linear.nodes_of(e);
    for (const NodeIndex& index : lagrange_nodes(2, 2)) {
      std::vector<int> ends;
      for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < index[i]; ++k) ends.push_back(corners[i]);
      }
      if (ends[0] == ends[1]) {
        mesh.nodes.push_back(ends[0]);
        continue;
      }
      const auto key = std::minmax(ends[0], ends[1]);
      const auto [known, is_new] = middle.try_emplace({key.first, key.second}, static_cast<int>(places.size()));
      if (is_new) {
        Vec<2> at = 0.5 * (places[ends[0]] + places[ends[1]]);
        if (at[0] > inner) at += bend * Vec<2>(std::sin(5.0 * at[1]), std::cos(3.0 * at[0]));
        places.push_back(at);
      }
      mesh.nodes.push_back(known->second);
    }
  }
  mesh.x_rest.resize(2 * std::ssize(places));
  for (std::size_t i = 0; i < places.size(); ++i) block<2>(mesh.x_rest, static_cast<int>(i)) = places[i];
  return mesh;
}

/// Returns a state with nodes moved by up to `size`; those on the axis stay on it.
VecX moved(const ElementMesh<2>& mesh, double size, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> uniform(-size, size);
  VecX x = mesh.x_rest;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (i % 2 == 1 || x[i] != 0.0) x[i] += uniform(rng);
  }
  return x;
}

MatX dense_hessian(AxisymmetricPotential& potential, const ElementMesh<2>& mesh, const VecX& x, bool is_exact) {
  BlockSparseMatrix matrix = empty_matrix(mesh, potential.pattern());
  VecX gradient = VecX::Zero(x.size());
  if (is_exact) {
    potential.add_exact_derivatives(x, 1.0, gradient, matrix);
  } else {
    potential.add_hessian(x, 1.0, matrix);
  }
  return to_dense(matrix);
}

TEST(AxisymmetricPotential, DerivativesMatchFiniteDifferencesAlsoAtTheAxis) {
  for (const int order : {1, 2}) {
    for (const double inner : {0.0, 1e-3, 2.0}) {
      std::mt19937_64 rng(11);
      SCOPED_TRACE(::testing::Message() << "seed 11, order " << order << ", inner radius " << inner);
      const ElementMesh<2> mesh = section(3, inner, order, 0.02, rng);
      AxisymmetricPotential potential(mesh);
      ASSERT_TRUE(potential.is_feasible(mesh.x_rest));
      const VecX x = moved(mesh, std::min(0.1, inner > 0.0 ? 0.3 * inner : 0.1) / order, rng);
      ASSERT_TRUE(potential.is_feasible(x));
      const auto energy = [&](const VecX& y) { return potential.energy(y).value(); };
      const auto gradient = [&](const VecX& y) {
        VecX g = VecX::Zero(y.size());
        potential.add_gradient(y, 1.0, g);
        return g;
      };
      const VecX g = gradient(x);
      EXPECT_GT(g.norm(), 1e-3);
      EXPECT_LT(relative_difference(g, finite_difference_gradient(energy, x)), 1e-6);
      const MatX exact = dense_hessian(potential, mesh, x, true);
      EXPECT_LT(relative_difference(exact, finite_difference_jacobian(gradient, x)), 1e-6);
      // Projected Hessians are positive semi-definite, and exact where nothing is pressed.
      const MatX projected = dense_hessian(potential, mesh, x, false);
      const Eigen::SelfAdjointEigenSolver<MatX> eigen(projected);
      EXPECT_GT(eigen.eigenvalues()[0], -1e-10 * eigen.eigenvalues().tail(1)[0]);
      EXPECT_LT(relative_difference(dense_hessian(potential, mesh, mesh.x_rest, false),
                                    dense_hessian(potential, mesh, mesh.x_rest, true)),
                1e-10);
    }
  }
}

TEST(AxisymmetricPotential, LongAndWideStretchesHaveTheEnergyOfSpace) {
  // r -> a r and y -> b y is uniform in space: the energy is psi(diag(a, b, a)) times the volume of the turn.
  for (const int order : {1, 2}) {
    std::mt19937_64 rng(5);
    ElementMesh<2> mesh = section(2, 0.0, order, 0.0, rng);
    mesh.material_of_element.assign(mesh.num_elements(), 0);
    double volume = 0.0;
    for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
      const std::span<const int> corners = mesh.nodes_of(e);
      const double area = 0.5 * edge_matrix<2>(mesh.x_rest, corners).determinant();
      double sum = 0.0;
      for (int i = 0; i < 3; ++i) sum += mesh.x_rest[2 * corners[i]];
      volume += area * 2.0 * std::numbers::pi * sum / 3.0;
    }
    VecX x = mesh.x_rest;
    for (Eigen::Index i = 0; i < x.size(); i += 2) {
      x[i] *= 1.3;
      x[i + 1] *= 0.7;
    }
    const Mat<3> f = Vec<3>(1.3, 0.7, 1.3).asDiagonal();
    const double expected = volume * energy_density<3>(mesh.materials[0], f);
    const AxisymmetricPotential potential(mesh);
    EXPECT_NEAR(potential.energy(x).value(), expected, 1e-12 * expected);
    // The mass is that of the whole turn, for lumped and for consistent masses.
    const double mass = volume * mesh.materials[0].density;
    VecX sums = VecX::Zero(x.size() / 2);
    ElementMass<2>(mesh).add_row_sums(sums);
    EXPECT_NEAR(sums.sum(), mass, 1e-12 * mass);
    if (order == 1) {
      EXPECT_LT((lumped_mass(mesh) - sums).norm(), 1e-12 * mass);
    }
    // Hoop and radial stresses are equal.
    const ElementState state = potential.element_states(x)[0];
    EXPECT_NEAR(state.principal_strain[0], std::log(1.3), 1e-12);
    EXPECT_NEAR(state.principal_strain[1], std::log(1.3), 1e-12);
  }
}

TEST(AxisymmetricPotential, StepsKeepAFifthOfEveryRadius) {
  for (const int order : {1, 2}) {
    std::mt19937_64 rng(7);
    const ElementMesh<2> mesh = section(2, 0.5, order, 0.0, rng);
    AxisymmetricPotential potential(mesh);
    // All nodes move towards the axis: the inner ones, at 0.5, lose 0.4 of it after 0.4 of the way.
    VecX dx = VecX::Zero(mesh.x_rest.size());
    for (Eigen::Index i = 0; i < dx.size(); i += 2) dx[i] = -1.0;
    const StepLimit limit = potential.max_feasible_step(mesh.x_rest, dx);
    EXPECT_NEAR(limit.alpha, 0.4, 1e-12);
    EXPECT_STREQ(limit.what, "the distance from the axis");
    EXPECT_TRUE(potential.is_feasible(mesh.x_rest + limit.alpha * dx));
    EXPECT_FALSE(potential.is_feasible(mesh.x_rest + 0.51 * dx));
    EXPECT_EQ(potential.energy(mesh.x_rest + 2.9 * dx).value(), infinity);
  }
}

TEST(TurnedSweep, HasTheVolumeOfAShellAndItsDerivatives) {
  // An upright edge at radius 2 of length 3 that goes to 2.5 sweeps pi (2.5^2 - 2^2) 3, to its right.
  const CurvedSweep<2> straight(1, true);
  CurvedSweep<2>::Nodes from(2, 2), to(2, 2);
  from << 2.0, 2.0, 0.0, 3.0;
  to << 2.5, 2.5, 0.0, 3.0;
  EXPECT_NEAR(straight.volume(from, to), std::numbers::pi * 2.25 * 3.0, 1e-12);
  for (const int order : {1, 2, 3}) {
    std::mt19937_64 rng(3);
    std::uniform_real_distribution<double> uniform(-0.3, 0.3);
    const CurvedSweep<2> sweep(order, true);
    CurvedSweep<2>::Nodes start(2, order + 1);
    for (Eigen::Index a = 0; a < start.cols(); ++a) {
      start.col(a) << 1.0 + uniform(rng), 0.5 * static_cast<double>(a) + uniform(rng);
    }
    VecX at(2 * start.cols());
    for (Eigen::Index i = 0; i < at.size(); ++i) at[i] = start.data()[i] + uniform(rng);
    const auto nodes = [&](const VecX& y) {
      return CurvedSweep<2>::Nodes(Eigen::Map<const CurvedSweep<2>::Nodes>(y.data(), 2, start.cols()));
    };
    const auto volume = [&](const VecX& y) { return sweep.volume(start, nodes(y)); };
    const auto gradient = [&](const VecX& y) {
      const CurvedSweep<2>::Nodes g = sweep.gradient(start, nodes(y));
      return VecX(Eigen::Map<const VecX>(g.data(), g.size()));
    };
    EXPECT_LT(relative_difference(gradient(at), finite_difference_gradient(volume, at)), 1e-7) << order;
    EXPECT_LT(relative_difference(sweep.hessian(start, nodes(at)), finite_difference_jacobian(gradient, at)), 1e-7)
        << order;
  }
}

}  // namespace
}  // namespace clearance
