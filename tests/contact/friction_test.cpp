#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "clearance/base/parallel.h"
#include "clearance/contact/friction_potential.h"
#include "clearance/contact/ipc_contact_model.h"
#include "contact/contact_models.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

const std::vector<StickVertex> no_memory;

using test::all_pairs;
using test::Random;

TEST(FrictionLaw, PotentialAndForceDifferentiateToForceAndStiffness) {
  const FrictionLaw law{1e-3};
  for (double y = 1e-5; y < 4e-3; y += 3.7e-5) {
    const double step = 1e-9;
    EXPECT_NEAR((law.potential(y + step) - law.potential(y - step)) / (2.0 * step), law.force(y), 1e-6) << y;
    EXPECT_NEAR(law.force_over_distance(y) * y, law.force(y), 1e-15) << y;
  }
}

TEST(FrictionLaw, IsThatOfEquations213And215) {
  const FrictionLaw law{2.0};
  EXPECT_EQ(law.force(0.0), 0.0);
  EXPECT_EQ(law.potential(0.0), 0.0);
  EXPECT_DOUBLE_EQ(law.force_over_distance(0.0), 1.0);
  EXPECT_DOUBLE_EQ(law.force(0.5), -0.25 / 4.0 + 1.0 / 2.0);
  EXPECT_DOUBLE_EQ(law.force(2.0), 1.0);
  // f_0(eps) = eps, f_0(0) = eps / 3
  EXPECT_DOUBLE_EQ(law.potential(2.0), 2.0 - 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(law.potential(7.0), 7.0 - 2.0 / 3.0);
}

TEST(FrictionLaw, CoefficientFallsSmoothlyFromStaticToKinetic) {
  const FrictionCoefficients mu{0.8, 0.3};
  EXPECT_EQ(coefficient(mu, 0.0, 1e-3), 0.8);
  EXPECT_EQ(coefficient(mu, 1e-3, 1e-3), 0.8);
  EXPECT_DOUBLE_EQ(coefficient(mu, 1.5e-3, 1e-3), 0.55);
  EXPECT_EQ(coefficient(mu, 2e-3, 1e-3), 0.3);
  for (double y = 0.0; y < 5e-3; y += 1e-5) {
    EXPECT_LE(coefficient(mu, y + 1e-5, 1e-3), coefficient(mu, y, 1e-3));
    EXPECT_LT(coefficient(mu, y, 1e-3) - coefficient(mu, y + 1e-5, 1e-3), 0.01);
  }
}

TEST(FrictionTable, BodiesRubWithTheGeometricMeanPairsAndHalfSpacesWithTheirOwn) {
  FrictionTable table;
  table.class_of_body = {0, 1, 1, 2};
  table.of_class = {{0.9, 0.4}, {0.4, 0.1}, {0.0, 0.0}};
  table.of_half_space = {std::nullopt, FrictionCoefficients{0.7, 0.6}};
  table.of_pair[{1, 1}] = {0.25, 0.2};
  EXPECT_DOUBLE_EQ(table.between(0, 1).sticking, 0.6);
  EXPECT_DOUBLE_EQ(table.between(2, 0).sliding, 0.2);
  EXPECT_TRUE(table.between(0, 3).is_zero());
  EXPECT_DOUBLE_EQ(table.between(1, 2).sliding, 0.2);  // copies of one body
  EXPECT_DOUBLE_EQ(table.with_half_space(3, 1).sliding, 0.6);
  EXPECT_DOUBLE_EQ(table.with_half_space(0, 0).sticking, 0.9);
  EXPECT_FALSE(table.is_frictionless());
  EXPECT_TRUE(FrictionTable{}.is_frictionless());
}

/// Bodies in a heap with every kind of contact, rubbing, and their positions a little further on.
template <int dim>
struct RubbingCrowd {
  explicit RubbingCrowd(unsigned seed, FrictionCoefficients mu = {0.9, 0.6}) : random(seed) {
    test::ModelBuilder builder = test::random_soup(random, dim, 6, 1.6, 0.6);
    builder.add_floor({0.1, 1.0, 0.0}, 0.05);
    model = builder.build();
    for (int b = 0; b < 6; ++b) model.friction.class_of_body.push_back(b);
    model.friction.of_class.assign(6, mu);
    model.friction.of_class[5] = {0.0, 0.0};
    model.friction.of_half_space = {std::nullopt};
    x_t0 = builder.x();
    options.dhat = 0.4;
    set = contacts.build(x_t0, all_pairs(dim, model.surface));
    displacement = random.vector(x_t0.size(), -0.01, 0.01);
    x = x_t0 + displacement;
  }
  FrictionPotential<dim> potential(double eps) const {
    FrictionPotential<dim> friction(model, contacts, {1.0, eps, 0.0}, x_t0, no_memory);
    friction.lag(set, x_t0, displacement, 3.0);
    return friction;
  }

  Random random;
  Model model;
  VecX x_t0, displacement, x;
  BarrierOptions options;
  IpcContactModel<dim> contacts{model, {0.4}};
  ContactSet set;
};

template <int dim>
MatX hessian(FrictionPotential<dim>& friction, const Model& model, const VecX& x, HessianKind kind, VecX& gradient) {
  const std::vector<char> is_fixed(model.layout.num_blocks, 0);
  std::vector<BlockKey> keys = friction.prepare_hessian(is_fixed);
  for (int b = 0; b < model.layout.num_blocks; ++b) keys.push_back(make_block_key(b, b));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  BlockSparseMatrix matrix(dim, model.layout.num_blocks, keys);
  gradient = VecX::Zero(x.size());
  friction.add_derivatives(model.surface_map.apply(x), kind, gradient, matrix);
  MatX dense = MatX::Zero(x.size(), x.size());
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    dense.col(k) = matrix.multiply(VecX::Unit(x.size(), k));
  }
  return dense;
}

template <int dim>
void expect_gradient_of_energy(double eps) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RubbingCrowd<dim> crowd(seed);
    FrictionPotential<dim> friction = crowd.potential(eps);
    ASSERT_FALSE(friction.is_empty());
    VecX gradient = VecX::Zero(crowd.x.size());
    friction.add_gradient(crowd.x, gradient);
    const VecX expected = test::finite_difference_gradient([&](const VecX& x) { return friction.energy(x).value(); },
                                                           crowd.x, 1e-6 * eps);
    EXPECT_LT((expected - gradient).norm(), 1e-5 * gradient.norm()) << "seed " << seed;
  }
}

/// The crowd with thick vertices, of which some turn about edges that friction sees as segments of rods.
RubbingCrowd<3> turning_crowd(unsigned seed) {
  RubbingCrowd<3> crowd(seed);
  Model& model = crowd.model;
  // The features are nowhere nearer to each other than two radii.
  const double radius = 0.25 * crowd.set.min_distance;
  model.surface.radius.assign(model.surface.num_vertices, radius);
  model.segment_turns.resize(model.surface.num_vertices);
  const int num_vertices = model.surface.num_vertices;
  for (std::size_t e = 0; e < model.surface.edges.size(); ++e) {
    const auto& [a, b] = model.surface.edges[e];
    // The angle is a component of any block.
    const int block = static_cast<int>(e) % model.layout.num_blocks, component = static_cast<int>(e) % 3;
    const int vertex = model.surface_map.num_vertices();
    std::size_t of_a = model.segment_turns[a][0].vertex < 0 ? 0 : 1,
                of_b = model.segment_turns[b][0].vertex < 0 ? 0 : 1;
    if (model.segment_turns[a][of_a].vertex >= 0 || model.segment_turns[b][of_b].vertex >= 0) continue;
    model.surface_map.add_vertex(block);
    model.segment_turns[a][of_a] = {vertex, component, radius, b};
    model.segment_turns[b][of_b] = {vertex, component, -radius, a};
  }
  EXPECT_GT(model.surface_map.num_vertices(), num_vertices + 3);
  return crowd;
}

TEST(FrictionPotential, GradientIsThatOfTheEnergyWhileRodsRoll) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RubbingCrowd<3> crowd = turning_crowd(seed);
    const IpcContactModel<3> contacts(crowd.model, {0.4});
    const VecX surface_t0 = crowd.model.surface_map.apply(crowd.x_t0);
    const ContactSet set = contacts.build(surface_t0, all_pairs(3, crowd.model.surface));
    FrictionPotential<3> friction(crowd.model, contacts, {1.0, 0.02, 0.0}, surface_t0, no_memory);
    friction.lag(set, surface_t0, crowd.model.surface_map.apply_linear(crowd.displacement), 3.0);
    ASSERT_FALSE(friction.is_empty());
    const auto gradient_at = [&](const VecX& x) {
      VecX gradient = VecX::Zero(x.size());
      friction.add_gradient(crowd.model.surface_map.apply(x), gradient);
      return gradient;
    };
    const VecX gradient = gradient_at(crowd.x);
    const VecX expected = test::finite_difference_gradient(
        [&](const VecX& x) { return friction.energy(crowd.model.surface_map.apply(x)).value(); }, crowd.x, 1e-8);
    EXPECT_LT((expected - gradient).norm(), 1e-5 * gradient.norm()) << "seed " << seed;

    VecX same;
    const MatX dense = hessian<3>(friction, crowd.model, crowd.x, HessianKind::exact, same);
    EXPECT_EQ(same, gradient);
    const MatX jacobian = test::finite_difference_jacobian(gradient_at, crowd.x, 1e-8);
    EXPECT_LT((dense - jacobian).norm(), 1e-5 * jacobian.norm()) << "seed " << seed;
  }
}

TEST(FrictionPotential, GradientIsThatOfTheEnergyWhileStickingAndSliding) {
  expect_gradient_of_energy<3>(0.2);    // most contacts stick
  expect_gradient_of_energy<3>(0.003);  // most slide
  expect_gradient_of_energy<2>(0.2);
  expect_gradient_of_energy<2>(0.003);
}

TEST(FrictionPotential, MatrixIsTheHessianAtRest) {
  RubbingCrowd<3> crowd(3);
  FrictionPotential<3> friction = crowd.potential(0.01);
  VecX at_rest;
  const MatX matrix = hessian<3>(friction, crowd.model, crowd.x_t0, HessianKind::projected, at_rest);
  EXPECT_EQ(at_rest.norm(), 0.0);
  const MatX expected = test::finite_difference_jacobian(
      [&](const VecX& x) {
        VecX gradient = VecX::Zero(x.size());
        friction.add_gradient(x, gradient);
        return gradient;
      },
      crowd.x_t0, 1e-8);
  EXPECT_LT((matrix - expected).norm(), 1e-5 * expected.norm());
}

/// Checks that the matrix of the duals is the Hessian where friction was lagged.
template <int dim>
void expect_hessian_where_lagged(double eps) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    RubbingCrowd<dim> crowd(seed);
    FrictionPotential<dim> friction(crowd.model, crowd.contacts, {1.0, eps, 0.0}, crowd.x_t0, no_memory);
    friction.lag(crowd.set, crowd.x, crowd.displacement, 3.0);
    VecX gradient;
    const MatX exact = hessian<dim>(friction, crowd.model, crowd.x, HessianKind::exact, gradient);
    const MatX of_duals = hessian<dim>(friction, crowd.model, crowd.x, HessianKind::projected, gradient);
    EXPECT_LT((of_duals - exact).norm(), 1e-12 * exact.norm()) << "seed " << seed;
  }
}

TEST(FrictionPotential, MatrixOfDualsIsTheHessianWhereFrictionWasLagged) {
  expect_hessian_where_lagged<3>(0.2);
  expect_hessian_where_lagged<3>(0.003);
  expect_hessian_where_lagged<2>(0.01);
}

/// Checks the matrix after a second lag at the same place with forces that are `growth` times as large, beside the
/// Hessian: stiffer everywhere if the forces have grown, since the contacts are about to stick, and softer otherwise.
template <int dim>
void expect_known_friction(double eps, double growth) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    RubbingCrowd<dim> crowd(seed);
    FrictionPotential<dim> friction(crowd.model, crowd.contacts, {1.0, eps, 0.0}, crowd.x_t0, no_memory);
    friction.lag(crowd.set, crowd.x, crowd.displacement, 3.0);
    friction.lag(crowd.set, crowd.x, crowd.displacement, growth * 3.0);
    VecX gradient;
    const MatX exact = hessian<dim>(friction, crowd.model, crowd.x, HessianKind::exact, gradient);
    const MatX of_duals = hessian<dim>(friction, crowd.model, crowd.x, HessianKind::projected, gradient);
    const MatX added = (growth > 1.0 ? 1.0 : -1.0) * (of_duals - exact);
    const VecX eigenvalues = Eigen::SelfAdjointEigenSolver<MatX>(added).eigenvalues();
    EXPECT_GT(eigenvalues[0], -1e-12 * exact.norm()) << "seed " << seed;
    if (growth > 1.0) {
      EXPECT_GT(eigenvalues.tail(1)[0], 0.05 * exact.norm()) << "seed " << seed;
    }
  }
}

TEST(FrictionPotential, LaggedAgainTheMatrixKnowsWhatIsAboutToStick) {
  expect_known_friction<3>(0.003, 2.0);
  expect_known_friction<2>(0.003, 2.0);
  expect_known_friction<3>(0.003, 0.5);
  expect_known_friction<3>(0.2, 0.5);
  expect_known_friction<2>(0.2, 0.5);
}

/// Checks that the matrix of the duals is positive semi-definite after any directions.
template <int dim>
void expect_no_negative_stiffness(double eps) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    RubbingCrowd<dim> crowd(seed);
    FrictionPotential<dim> friction = crowd.potential(eps);
    VecX gradient;
    for (int direction = 0; direction < 20; ++direction) {
      const double size = std::pow(10.0, crowd.random.uniform(-4.0, 0.0));
      friction.move_duals(crowd.x, crowd.random.vector(crowd.x.size(), -size, size));
      const MatX matrix = hessian<dim>(friction, crowd.model, crowd.x, HessianKind::projected, gradient);
      EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatX>(matrix).eigenvalues()[0], -1e-12 * matrix.norm());
    }
  }
}

TEST(FrictionPotential, MatrixOfDualsHasNoNegativeStiffness) {
  expect_no_negative_stiffness<3>(0.2);
  expect_no_negative_stiffness<3>(0.003);
  expect_no_negative_stiffness<2>(0.01);
}

/// Returns the number of whole Newton directions with the matrix `kind` in which springs of the stiffness `stiffness`,
/// from every block to a place up to `reach` away, come to balance with friction; 100 if they do not.
template <int dim>
int num_directions_to_balance(unsigned seed, double eps, double stiffness, double reach, HessianKind kind) {
  RubbingCrowd<dim> crowd(seed);
  FrictionPotential<dim> friction = crowd.potential(eps);
  const VecX rest = crowd.x_t0 + crowd.random.vector(crowd.x_t0.size(), -reach, reach);
  VecX x = crowd.x_t0, gradient;
  constexpr int most = 100;
  for (int i = 0; i < most; ++i) {
    MatX matrix = hessian<dim>(friction, crowd.model, x, kind, gradient);
    const VecX of_springs = stiffness * (x - rest);
    const double size = gradient.norm() + of_springs.norm();
    gradient += of_springs;
    if (gradient.norm() <= 1e-6 * size) return i;
    matrix.diagonal().array() += stiffness;
    const VecX dx = -matrix.ldlt().solve(gradient);
    friction.move_duals(x, dx);
    x += dx;
  }
  return most;
}

/// Whole directions of the Hessian go back and forth across the valley of sticking; those with duals do not.
TEST(FrictionPotential, WholeDirectionsWithDualsComeToBalance) {
  int num_astray = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    for (const double eps : {1e-2, 1e-4}) {
      for (const double stiffness : {0.1, 10.0, 1000.0}) {
        const auto count = [&](HessianKind kind) {
          return std::max(num_directions_to_balance<3>(seed, eps, stiffness, 0.1, kind),
                          num_directions_to_balance<2>(seed, eps, stiffness, 0.1, kind));
        };
        EXPECT_LE(count(HessianKind::projected), 30)
            << "seed " << seed << ", eps " << eps << ", stiffness " << stiffness;
        if (count(HessianKind::exact) == 100) ++num_astray;
      }
    }
  }
  EXPECT_GE(num_astray, 10);
}

/// Compares with the formulas of [Fer23, app. A.8], using an explicit basis of the tangent plane, and with Coulomb's
/// bound.
TEST(FrictionPotential, ForcesOfHalfSpacesAreCoulombs) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RubbingCrowd<3> crowd(seed);
    const double eps = 0.004;
    const Vec<3> n = crowd.model.half_spaces[0].normal;
    const Vec<3> t1 = cross_product(n, Vec<3>::UnitX()).normalized(), t2 = cross_product(n, t1);
    ContactSet floor;
    for (const Contact& contact : crowd.set.contacts) {
      if (contact.kind == ContactKind::half_space) floor.contacts.push_back(contact);
    }
    FrictionPotential<3> friction(crowd.model, crowd.contacts, {1.0, eps, 0.0}, crowd.x_t0, no_memory);
    friction.lag(floor, crowd.x_t0, crowd.displacement, 3.0);
    VecX gradient = VecX::Zero(crowd.x.size()), expected = gradient;
    friction.add_gradient(crowd.x, gradient);
    for (const Contact& contact : floor.contacts) {
      const int v = contact.vertices[0];
      const FrictionCoefficients both = crowd.model.friction.with_half_space(crowd.model.surface.vertex_body[v], 0);
      const Vec<3> dx = block<3>(crowd.x, v) - block<3>(crowd.x_t0, v);
      const Vec<2> u(t1.dot(dx), t2.dot(dx));
      const double y = u.norm(), mu = y <= eps         ? both.sticking
                                      : y >= 2.0 * eps ? both.sliding
                                                       : coefficient(both, y, eps);
      const double f1 = y < eps ? y * (2.0 * eps - y) / (eps * eps) : 1.0;
      const double d = std::sqrt(contact.distance_sq);
      const double lambda = -3.0 * barrier_derivatives(d * d, crowd.options).first * 2.0 * d;
      block<3>(expected, v) = mu * lambda * f1 * (u[0] * t1 + u[1] * t2) / y;
      EXPECT_LE(block<3>(gradient, v).norm(), mu * lambda * (1.0 + 1e-12));
      EXPECT_NEAR(block<3>(gradient, v).dot(n), 0.0, 1e-12 * lambda);
    }
    EXPECT_LT((gradient - expected).norm(), 1e-11 * expected.norm()) << "seed " << seed;
  }
}

TEST(FrictionPotential, ActsEquallyOnBothBodiesAndOnlyAgainstSliding) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RubbingCrowd<3> crowd(seed);
    crowd.model.half_spaces.clear();
    ContactSet pairs;
    for (const Contact& contact : crowd.set.contacts) {
      if (contact.kind != ContactKind::half_space) pairs.contacts.push_back(contact);
    }
    FrictionPotential<3> friction(crowd.model, crowd.contacts, {1.0, 0.004, 0.0}, crowd.x_t0, no_memory);
    friction.lag(pairs, crowd.x_t0, crowd.displacement, 3.0);
    VecX gradient = VecX::Zero(crowd.x.size());
    friction.add_gradient(crowd.x, gradient);
    Vec<3> total = Vec<3>::Zero();
    double size = 0.0;
    for (int v = 0; v < crowd.model.surface.num_vertices; ++v) {
      total += block<3>(gradient, v);
      size += block<3>(gradient, v).norm();
    }
    EXPECT_LT(total.norm(), 1e-12 * size) << "seed " << seed;
    EXPECT_GT(gradient.dot(crowd.x - crowd.x_t0), 0.0);
    EXPECT_NEAR(friction.work(crowd.x), gradient.dot(crowd.x - crowd.x_t0), 1e-9 * friction.work(crowd.x));
    // A common translation causes no friction.
    VecX shifted = crowd.x_t0;
    for (int v = 0; v < crowd.model.surface.num_vertices; ++v) block<3>(shifted, v) += Vec<3>(0.1, -0.2, 0.3);
    EXPECT_LT(friction.work(shifted), 1e-9 * friction.work(crowd.x));
  }
}

TEST(FrictionPotential, LaggedByAShareItIsTheMeanOfOldAndNew) {
  RubbingCrowd<3> crowd(11);
  // Only every other contact is old, so that the two sets differ.
  ContactSet some;
  for (std::size_t k = 0; k < crowd.set.contacts.size(); k += 2) some.contacts.push_back(crowd.set.contacts[k]);
  const auto lag = [&](FrictionPotential<3>& friction, const ContactSet& set, double kappa, double share) {
    friction.lag(set, crowd.x_t0, crowd.displacement, kappa, share);
  };
  FrictionPotential<3> old_only(crowd.model, crowd.contacts, {1.0, 0.01, 0.0}, crowd.x_t0, no_memory),
      new_only(crowd.model, crowd.contacts, {1.0, 0.01, 0.0}, crowd.x_t0, no_memory);
  lag(old_only, some, 3.0, 1.0);
  lag(new_only, crowd.set, 2.0, 1.0);
  FrictionPotential<3> mixed = old_only;
  lag(mixed, crowd.set, 2.0, 0.25);
  const double expected = 0.75 * old_only.energy(crowd.x).value() + 0.25 * new_only.energy(crowd.x).value();
  EXPECT_NEAR(mixed.energy(crowd.x).value(), expected, 1e-3 * expected);  // the weakest are forgotten
  lag(mixed, crowd.set, 2.0, 1.0);
  EXPECT_EQ(mixed.energy(crowd.x).value(), new_only.energy(crowd.x).value());
}

TEST(FrictionPotential, IsTheSameForAnyNumberOfThreads) {
  RubbingCrowd<3> crowd(7);
  std::vector<MatX> results;
  for (int threads : {1, 3}) {
    const ThreadLimit limit(threads);
    FrictionPotential<3> friction = crowd.potential(0.01);
    VecX gradient;
    results.push_back(hessian<3>(friction, crowd.model, crowd.x, HessianKind::projected, gradient));
  }
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace clearance
