// Elements of materials that yield: derivatives of their energy, the return to the yield surface, and their memory.
#include "clearance/bodies/fem/plastic_potential.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "curved_fixtures.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using namespace test;

constexpr double mu = 40.0, nu = 0.3;  // [Pa] and Poisson's ratio of the first material

std::shared_ptr<const Hardening> linear_hardening(double yield_stress, double slope) {
  return std::make_shared<const Hardening>(std::vector<std::array<double, 2>>{{0.0, yield_stress}}, slope);
}

/// Gives three materials that yield to the elements in turn: with linear hardening, with a curve, and without.
template <int dim>
void make_plastic(ElementMesh<dim>& mesh) {
  mesh.materials.clear();
  for (int m = 0; m < 3; ++m) {
    mesh.materials.push_back(make_material(ElasticModel::neo_hookean, 2.0 * (1.0 + nu) * mu * (m + 1), nu, 10.0));
  }
  mesh.materials[0].hardening = linear_hardening(1.0, 20.0);
  mesh.materials[1].hardening =
      std::make_shared<const Hardening>(std::vector<std::array<double, 2>>{{0.0, 2.0}, {0.01, 3.0}, {0.05, 4.0}}, 0.0);
  mesh.materials[2].hardening = linear_hardening(2.0, 0.0);
  for (std::size_t e = 0; e < mesh.num_elements(); ++e) mesh.material_of_element[e] = static_cast<int>(e * 5 % 3);
}

template <int dim>
ElementMesh<dim> plastic_mesh(int order, std::mt19937_64& rng) {
  ElementMesh<dim> linear = make_grid<dim>(dim == 2 ? 2 : 1, 1.0, 0.05, rng);
  make_plastic(linear);
  if (order == 1) return linear;
  ElementMesh<dim> mesh = raised<dim>(linear, order);
  // All elements at one node are curved.
  block<dim>(mesh.x_rest, mesh.nodes[num_lagrange_nodes(dim, 1)]) += Vec<dim>::Constant(0.03);
  return mesh;
}

template <class Function>
void for_all_orders(const Function& check) {
  for (int order = 1; order <= max_order; ++order) {
    SCOPED_TRACE(::testing::Message() << "2D, order " << order);
    check(std::integral_constant<int, 2>(), order);
  }
  for (int order = 1; order <= max_order; ++order) {
    SCOPED_TRACE(::testing::Message() << "3D, order " << order);
    check(std::integral_constant<int, 3>(), order);
  }
}

VecX gradient_of(Potential& potential, const VecX& x) {
  VecX g = VecX::Zero(x.size());
  potential.add_gradient(x, 1.0, g);
  return g;
}

std::vector<double> history_after(const Potential& potential, const VecX& x) {
  std::vector<double> history(potential.history_size());
  potential.end_step(x, history);
  return history;
}

/// Returns the accumulated plastic strains of all points.
std::vector<double> plastic_strains(const std::vector<double>& history) {
  std::vector<double> strains;
  for (std::size_t i = 9; i < history.size(); i += 10) strains.push_back(history[i]);
  return strains;
}

template <int dim>
void check_derivatives(PlasticPotential<dim>& potential, const ElementMesh<dim>& mesh, const VecX& x) {
  const auto energy = [&](const VecX& y) { return potential.energy(y).value(); };
  const auto gradient = [&](const VecX& y) { return gradient_of(potential, y); };
  const VecX g = gradient(x);
  EXPECT_GT(g.norm(), 0.01);
  // Steps of 6e-6 would cross the corners of the hardening curve, where the second derivatives jump.
  constexpr double step = 1e-6;
  EXPECT_LT(relative_difference(g, finite_difference_gradient(energy, x, step)), 1e-6);
  BlockSparseMatrix exact = empty_matrix(mesh, potential.pattern()), projected = exact;
  VecX again = VecX::Zero(x.size());
  potential.add_exact_derivatives(x, 2.0, again, exact);
  EXPECT_LT(relative_difference(again, 2.0 * g), 1e-12);
  EXPECT_LT(relative_difference(to_dense(exact), 2.0 * finite_difference_jacobian(gradient, x, step)), 1e-6);
  potential.add_hessian(x, 1.0, projected);
  const MatX dense = to_dense(projected);
  EXPECT_EQ(dense, MatX(dense.transpose()));
  EXPECT_GE(Eigen::SelfAdjointEigenSolver<MatX>(dense).eigenvalues()[0], -1e-10 * dense.cwiseAbs().maxCoeff());
}

TEST(PlasticPotential, DerivativesMatchFiniteDifferencesInAndOutOfYield) {
  for_all_orders([](auto dim, int order) {
    std::mt19937_64 rng(static_cast<unsigned>(order));
    const ElementMesh<dim> mesh = plastic_mesh<dim>(order, rng);
    PlasticPotential<dim> potential(mesh);
    // Small strains are elastic, large ones yield; the third state loads a body that has yielded another way.
    const VecX small = random_state<dim>(mesh, 5e-4 / order, rng), large = random_state<dim>(mesh, 0.1, rng);
    EXPECT_EQ(potential.plastic_work(small), 0.0);
    check_derivatives<dim>(potential, mesh, small);
    EXPECT_GT(potential.plastic_work(large), 0.0);
    check_derivatives<dim>(potential, mesh, large);
    potential.set_history(history_after(potential, large));
    EXPECT_EQ(potential.plastic_work(large), 0.0);
    check_derivatives<dim>(potential, mesh, random_state<dim>(mesh, 0.1, rng));
  });
}

TEST(PlasticPotential, DerivativesMatchFiniteDifferencesInElementsThatKeepTheirShape) {
  std::mt19937_64 rng(7);
  const ElementMesh<2> mesh = with_kept_shape<2>(plastic_mesh<2>(2, rng), 1);
  PlasticPotential<2> potential(mesh);
  const VecX x = random_state<2>(mesh, 0.1, rng);
  EXPECT_GT(potential.plastic_work(x), 0.0);
  check_derivatives<2>(potential, mesh, x);
  const std::vector<double> history = history_after(potential, x);
  const std::vector<ElementState> before = potential.element_states(x);
  potential.set_history(history);
  const std::vector<ElementState> after = potential.element_states(x);
  for (std::size_t e = 0; e < before.size(); ++e) {
    EXPECT_NEAR(after[e].von_mises, before[e].von_mises, 1e-10);
    EXPECT_NEAR(after[e].plastic_strain, before[e].plastic_strain, 1e-13);
  }
}

TEST(PlasticPotential, StaysOnTheYieldSurfaceAndKeepsTheVolume) {
  for_all_orders([](auto dim, int order) {
    std::mt19937_64 rng(static_cast<unsigned>(10 + order));
    const ElementMesh<dim> mesh = plastic_mesh<dim>(order, rng);
    PlasticPotential<dim> potential(mesh);
    std::vector<double> before = plastic_strains(history_after(potential, mesh.x_rest));
    for (int step = 0; step < 5; ++step) {
      const VecX x = random_state<dim>(mesh, 0.1, rng);
      const VecX forces = gradient_of(potential, x);
      const double energy = potential.energy(x).value(), work = potential.plastic_work(x);
      const std::vector<double> history = history_after(potential, x);
      // The plastic strain grows, and the flow keeps the volume.
      const std::vector<double> after = plastic_strains(history);
      for (std::size_t i = 0; i < after.size(); ++i) {
        EXPECT_GE(after[i], before[i]);
        EXPECT_NEAR(Eigen::Map<const Mat<3>>(history.data() + 10 * i).determinant(), 1.0, 1e-13);
      }
      before = after;
      // The next step begins with the forces at the end of this one, with the elastic energy, and without flow.
      potential.set_history(history);
      EXPECT_LT(relative_difference(gradient_of(potential, x), forces), 1e-11);
      EXPECT_NEAR(potential.energy(x).value(), energy - work, 1e-11 * energy);
      EXPECT_EQ(potential.plastic_work(x), 0.0);
      EXPECT_EQ(history_after(potential, x), history);
    }
  });
}

TEST(PlasticPotential, DoesNotDependOnARotation) {
  for_all_orders([](auto dim, int order) {
    std::mt19937_64 rng(static_cast<unsigned>(20 + order));
    const ElementMesh<dim> mesh = plastic_mesh<dim>(order, rng);
    const Mat<dim> rotation = random_rotation<dim>(rng);
    const auto rotated = [&](const VecX& x) {
      VecX result = x;
      for (int b = 0; b < x.size() / dim; ++b) block<dim>(result, b) = rotation * block<dim>(x, b);
      return result;
    };
    PlasticPotential<dim> one(mesh), other(mesh);
    for (int step = 0; step < 3; ++step) {
      const VecX x = random_state<dim>(mesh, 0.1, rng), x_rotated = rotated(x);
      const double energy = one.energy(x).value();
      EXPECT_NEAR(other.energy(x_rotated).value(), energy, 1e-12 * energy);
      EXPECT_LT(relative_difference(gradient_of(other, x_rotated), rotated(gradient_of(one, x))), 1e-10);
      const std::vector<double> history = history_after(one, x), of_rotated = history_after(other, x_rotated);
      const VecX a = Eigen::Map<const VecX>(history.data(), std::ssize(history));
      EXPECT_LT(relative_difference(VecX(Eigen::Map<const VecX>(of_rotated.data(), a.size())), a), 1e-11);
      one.set_history(history);
      other.set_history(of_rotated);
    }
  });
}

/// Returns a cube of side 1 of linear tetrahedra with one material.
ElementMesh<3> cube(std::shared_ptr<const Hardening> hardening) {
  std::mt19937_64 rng(1);
  ElementMesh<3> mesh = make_grid<3>(1, 1.0, 0.0, rng);
  mesh.materials = {make_material(ElasticModel::neo_hookean, 2.0 * (1.0 + nu) * mu, nu, 10.0)};
  mesh.materials[0].hardening = std::move(hardening);
  return mesh;
}

VecX stretched(const VecX& x_rest, const Vec<3>& stretch) {
  VecX x = x_rest;
  for (int b = 0; b < x.size() / 3; ++b) block<3>(x, b) = stretch.asDiagonal() * block<3>(x, b);
  return x;
}

TEST(PlasticPotential, UniaxialStrainFollowsTheClosedForm) {
  const double bulk = 2.0 / 3.0 * mu * (1.0 + nu) / (1.0 - 2.0 * nu), yield_stress = 1.0, slope = 20.0;
  const ElementMesh<3> mesh = cube(linear_hardening(yield_stress, slope));
  PlasticPotential<3> potential(mesh);
  // Confined across, the logarithmic strain is e along one axis: q = 2 mu (e - 3/2 p) for a plastic strain p, which
  // must be yield_stress + slope p; the Kirchhoff stress is K e + 2/3 q.
  for (const double e : {0.005, 0.05, 0.4}) {
    const VecX x = stretched(mesh.x_rest, Vec<3>(std::exp(e), 1.0, 1.0));
    const double p = std::max(0.0, (2.0 * mu * e - yield_stress) / (3.0 * mu + slope));
    const double kirchhoff = bulk * e + 2.0 / 3.0 * 2.0 * mu * (e - 1.5 * p);
    for (const ElementState& state : potential.element_states(x)) {
      EXPECT_NEAR(state.plastic_strain, p, 1e-12);
      EXPECT_NEAR(state.principal_stress[0], kirchhoff / std::exp(e), 1e-11 * kirchhoff);
      EXPECT_NEAR(state.von_mises, 2.0 * mu * (e - 1.5 * p) / std::exp(e), 1e-10);
      EXPECT_NEAR(state.principal_strain[0], e, 1e-13);
    }
    for (const StressVector& stress : potential.stresses(x, 2)) {
      EXPECT_NEAR(stress[0], kirchhoff / std::exp(e), 1e-11 * kirchhoff);
    }
  }
}

TEST(PlasticPotential, HasTheElasticTangentOnTheYieldSurface) {
  const ElementMesh<3> mesh = cube(linear_hardening(1.0, 0.0));
  PlasticPotential<3> potential(mesh), elastic(cube(linear_hardening(1e6, 0.0)));
  const VecX x = stretched(mesh.x_rest, Vec<3>(1.2, 1.0, 1.0));
  const std::vector<double> history = history_after(potential, x);
  potential.set_history(history);
  elastic.set_history(history);
  BlockSparseMatrix matrix = empty_matrix(mesh, potential.pattern()), expected = matrix;
  potential.add_hessian(x, 1.0, matrix);
  elastic.add_hessian(x, 1.0, expected);
  EXPECT_EQ(matrix.values(), expected.values());
}

TEST(PlasticPotential, PointsOfTheHistoryLieInTheirElements) {
  for_all_orders([](auto dim, int order) {
    std::mt19937_64 rng(3);
    const ElementMesh<dim> mesh = plastic_mesh<dim>(order, rng);
    const PlasticPotential<dim> potential(mesh);
    const HistoryLayout layout = potential.history_layout();
    EXPECT_EQ(layout.size(), potential.history_size());
    const double reach = mesh.x_rest.cwiseAbs().maxCoeff() + 0.01;
    for (const HistoryPoint& point : layout.points) EXPECT_LT(point.at_rest.cwiseAbs().maxCoeff(), reach);
  });
}

TEST(PlasticPotential, RestrictedToAPartGivesTheSameDerivativesThere) {
  std::mt19937_64 rng(4);
  ElementMesh<3> mesh = make_grid<3>(3, 1.0, 0.05, rng);
  make_plastic(mesh);
  PlasticPotential<3> whole(mesh), restricted(mesh);
  const VecX x = random_state<3>(mesh, 0.1, rng);
  std::vector<char> part(x.size() / 3, 0);
  for (std::size_t b = 0; b < part.size(); b += 5) part[b] = 1;
  restricted.restrict_to(part);
  const VecX g = gradient_of(whole, x), of_part = gradient_of(restricted, x);
  for (std::size_t b = 0; b < part.size(); b += 5) {
    EXPECT_EQ(block<3>(g, static_cast<int>(b)), block<3>(of_part, static_cast<int>(b)));
  }
  // The memory of all points is kept, whatever the part.
  EXPECT_EQ(history_after(whole, x), history_after(restricted, x));
}

TEST(Hardening, FlowsAlongTheSegmentsOfItsCurve) {
  const Hardening curve({{0.0, 2.0}, {0.01, 3.0}, {0.05, 4.0}}, 10.0);
  EXPECT_EQ(curve.yield_stress(0.0), 2.0);
  EXPECT_DOUBLE_EQ(curve.yield_stress(0.03), 3.5);
  EXPECT_DOUBLE_EQ(curve.yield_stress(0.15), 5.0);
  EXPECT_NEAR(curve.work(0.0, 0.15), 0.025 + 0.14 + 0.45, 1e-15);
  EXPECT_NEAR(curve.work(0.03, 0.04), 0.01 * 3.625, 1e-15);
  EXPECT_EQ(curve.flow(2.0, 100.0, 0.0).amount, 0.0);
  for (const double strain : {0.0, 0.005, 0.01, 0.03, 0.05, 0.2}) {
    for (const double excess : {1e-3, 0.5, 3.0, 10.0, 100.0}) {
      const double trial = curve.yield_stress(strain) + excess;
      const PlasticFlow flow = curve.flow(trial, 100.0, strain);
      EXPECT_NEAR(trial - 100.0 * flow.amount, curve.yield_stress(strain + flow.amount), 1e-12 * trial);
    }
  }
}

}  // namespace
}  // namespace clearance
