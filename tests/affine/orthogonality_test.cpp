#include <gmpxx.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "affine_fixtures.h"
#include "clearance/bodies/affine/orthogonality_potential.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::dense;
using test::num_unknowns;
using test::random_matrix;
using test::random_rotation;
using test::relative_difference;

const std::vector<OrthogonalBody> two_bodies(int dim) {
  return {{0, 0.7, 3.0}, {dim + 1, 1.9, 0.4}};
}

/// Returns two bodies with the given A.
template <int dim>
VecX state_of(const Mat<dim>& a, const Mat<dim>& b) {
  VecX x = VecX::LinSpaced(2 * num_unknowns<dim>, -1.0, 1.0);
  for (int i = 0; i < dim; ++i) {
    block<dim>(x, 1 + i) = 0.7 * a.col(i);
    block<dim>(x, dim + 2 + i) = 1.9 * b.col(i);
  }
  return x;
}

template <int dim>
Mat<dim> random_stretch(int kind, std::mt19937_64& rng) {
  const Mat<dim> rotation = random_rotation<dim>(rng);
  if (kind == 0) return random_matrix<dim>(rng);
  if (kind == 1) return rotation;
  if (kind == 2) return rotation + 1e-7 * random_matrix<dim>(rng);
  if (kind == 3) return 0.3 * rotation;
  if (kind == 4) return random_matrix<dim>(rng).col(0) * random_matrix<dim>(rng).col(0).transpose();
  return Mat<dim>::Zero();
}
constexpr int num_kinds = 6;

template <int dim>
MatX hessian_of(OrthogonalityPotential<dim>& potential, const VecX& x, bool is_projected) {
  const auto keys = potential.pattern();
  BlockSparseMatrix matrix(dim, static_cast<int>(x.size()) / dim, keys);
  if (is_projected) {
    potential.add_hessian(x, 2.0, matrix);
  } else {
    potential.add_unprojected_hessian(x, 2.0, matrix);
  }
  return 0.5 * dense(matrix);
}

template <int dim>
VecX gradient_of(Potential& potential, const VecX& x) {
  VecX gradient = VecX::Zero(x.size());
  potential.add_gradient(x, 1.0, gradient);
  return gradient;
}

template <int dim>
void check_derivatives() {
  std::mt19937_64 rng(21);
  OrthogonalityPotential<dim> potential(two_bodies(dim));
  for (int trial = 0; trial < 60; ++trial) {
    const VecX x = state_of<dim>(random_stretch<dim>(trial % num_kinds, rng), random_stretch<dim>(0, rng));
    const auto energy = [&](const VecX& y) { return potential.energy(y).value(); };
    const auto gradient = [&](const VecX& y) { return gradient_of<dim>(potential, y); };
    EXPECT_LT(relative_difference(gradient(x), test::finite_difference_gradient(energy, x)), 1e-7);
    const MatX exact = hessian_of(potential, x, false);
    EXPECT_LT(relative_difference(exact, test::finite_difference_jacobian(gradient, x)), 1e-7);

    // The projection only adds a positive part, and leaves nothing negative.
    const MatX projected = hessian_of(potential, x, true);
    const double scale = exact.cwiseAbs().maxCoeff();
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatX>(projected).eigenvalues()[0], -1e-13 * scale);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatX>(projected - exact).eigenvalues()[0], -1e-13 * scale);
  }
}

TEST(OrthogonalityPotential, Derivatives_MatchFiniteDifferencesAndArePsd) {
  check_derivatives<2>();
  check_derivatives<3>();
}

template <int dim>
void check_closed_forms() {
  std::mt19937_64 rng(22);
  OrthogonalityPotential<dim> potential({{0, 0.7, 3.0}});
  for (const double s : {0.0, 0.5, 1.25, 3.0}) {
    const VecX x = state_of<dim>(s * random_rotation<dim>(rng), Mat<dim>::Identity());
    const double expected = 3.0 * dim * (s * s - 1.0) * (s * s - 1.0);
    EXPECT_NEAR(potential.energy(x).value(), expected, 1e-13 * (1.0 + expected));
  }
}

TEST(OrthogonalityPotential, UniformScaling_HasItsClosedForm) {
  check_closed_forms<2>();
  check_closed_forms<3>();
}

TEST(OrthogonalityPotential, RigidMotion_ChangesNothingAndForcesTurnAlong) {
  std::mt19937_64 rng(23);
  OrthogonalityPotential<3> potential(two_bodies(3));
  for (int trial = 0; trial < 20; ++trial) {
    const VecX x = state_of<3>(random_matrix<3>(rng), random_matrix<3>(rng));
    const Mat<3> rotation = random_rotation<3>(rng);
    const VecX y = test::moved<3>(x, rotation, Vec<3>(1, 2, 3));
    EXPECT_NEAR(potential.energy(y).value() / potential.energy(x).value(), 1.0, 1e-13);
    const VecX turned = test::moved<3>(gradient_of<3>(potential, x), rotation, Vec<3>::Zero());
    EXPECT_LT(relative_difference(gradient_of<3>(potential, y), turned), 1e-13);
  }
}

/// The energy in exact arithmetic, rounded once.
double exact_energy(const VecX& x, double radius, double stiffness) {
  mpq_class energy = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      mpq_class entry = 0;
      for (int r = 0; r < 3; ++r) entry += mpq_class(x[3 + 3 * i + r]) * mpq_class(x[3 + 3 * j + r]);
      entry /= mpq_class(radius) * mpq_class(radius);
      if (i == j) entry -= 1;
      energy += entry * entry;
    }
  }
  return mpq_class(energy * mpq_class(stiffness)).get_d();
}

TEST(OrthogonalityPotential, NearARotation_EnergyIsExactToRounding) {
  std::mt19937_64 rng(24);
  for (const double size : {0.0, 1e-14, 1e-10, 1e-6}) {
    const double radius = 0.7, stiffness = 1e11;
    OrthogonalityPotential<3> potential({{0, radius, stiffness}});
    const VecX x = state_of<3>(random_rotation<3>(rng) + size * random_matrix<3>(rng), Mat<3>::Identity());
    const double expected = exact_energy(x, radius, stiffness);
    ASSERT_GT(expected, 0.0);
    EXPECT_NEAR(potential.energy(x).value() / expected, 1.0, 1e-13) << "size " << size;
  }
}

TEST(OrthogonalityPotential, BodyInsideOutOrFlat_IsNotFeasible) {
  OrthogonalityPotential<3> potential(two_bodies(3));
  const Mat<3> identity = Mat<3>::Identity();
  Mat<3> flat = identity, mirrored = identity;
  flat(2, 2) = 0.0;
  mirrored(2, 2) = -1.0;
  EXPECT_TRUE(potential.is_feasible(state_of<3>(identity, identity)));
  EXPECT_FALSE(potential.is_feasible(state_of<3>(identity, flat)));
  EXPECT_FALSE(potential.is_feasible(state_of<3>(mirrored, identity)));
}

TEST(OrthogonalityPotential, ManyBodies_SameBitsForAnyThreadCount) {
  std::mt19937_64 rng(25);
  std::vector<OrthogonalBody> bodies;
  VecX x = VecX::Random(12 * 500);
  for (int b = 0; b < 500; ++b) bodies.push_back({4 * b, 1.0, 1.0 + b});
  OrthogonalityPotential<3> potential(bodies);
  const auto evaluate = [&](int threads) {
    const ThreadLimit limit(threads);
    BlockSparseMatrix matrix(3, 2000, potential.pattern());
    VecX gradient = VecX::Zero(x.size());
    potential.add_derivatives(x, 1.0, gradient, matrix);
    return std::tuple(potential.energy(x).value(), std::vector<double>(gradient.begin(), gradient.end()),
                      matrix.values());
  };
  EXPECT_EQ(evaluate(1), evaluate(2));
}

}  // namespace
}  // namespace clearance
