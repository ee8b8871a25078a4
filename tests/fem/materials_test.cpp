#include "clearance/bodies/fem/materials.h"

#include <gtest/gtest.h>

#include "clearance/math/psd.h"
#include "fem_fixtures.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using namespace test;

template <int dim>
VecX flatten(const Mat<dim>& f) {
  return Eigen::Map<const VecX>(f.data(), dim * dim);
}
template <int dim>
Mat<dim> unflatten(const VecX& f) {
  return Eigen::Map<const Mat<dim>>(f.data());
}

/// Runs check(material, F, description) on random deformations of every kind, for every model.
template <int dim, class Check>
void for_all_deformations(int seed, int num_trials, const Check& check) {
  std::mt19937_64 rng(seed);
  for (const ElasticModel model : all_models) {
    for (const double nu : {0.0, 0.3, 0.49}) {
      const MaterialParameters material = make_material(model, 10.0, nu);
      for (int trial = 0; trial < num_trials * num_stretch_kinds; ++trial) {
        const int kind = trial % num_stretch_kinds;
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ", dim " << dim << ", model " << static_cast<int>(model)
                                          << ", nu " << nu << ", kind " << kind << ", trial " << trial);
        check(material, with_singular_values<dim>(random_stretches<dim>(kind, rng), rng), rng);
      }
    }
  }
}

template <int dim>
void check_stress() {
  for_all_deformations<dim>(21, 6, [](const MaterialParameters& m, const Mat<dim>& f, std::mt19937_64&) {
    // The truncation error of the differences grows with the third derivative, 1 / s^3 for neo-Hookean.
    const double smallest = rotation_variant_svd<dim>(f).sigma[dim - 1];
    const double step = std::min(1.0, smallest) * finite_difference_step;
    const auto psi = [&](const VecX& y) { return energy_density<dim>(m, unflatten<dim>(y)); };
    const VecX expected = finite_difference_gradient(psi, flatten<dim>(f), step);
    const double floor = m.mu + m.lambda + 1e-4 * energy_density<dim>(m, f) / step * 1e-4;
    EXPECT_LT(relative_difference(flatten<dim>(first_piola_stress<dim>(m, f)), expected, floor), 2e-6);
  });
}

TEST(Materials, StressMatchesFiniteDifferencesOfEnergy) {
  check_stress<2>();
  check_stress<3>();
}

template <int dim>
void check_hessian() {
  for_all_deformations<dim>(22, 6, [](const MaterialParameters& m, const Mat<dim>& f, std::mt19937_64&) {
    const double smallest = rotation_variant_svd<dim>(f).sigma[dim - 1];
    const double step = std::min(1.0, smallest) * finite_difference_step;
    const auto p = [&](const VecX& y) { return flatten<dim>(first_piola_stress<dim>(m, unflatten<dim>(y))); };
    const MatX expected = finite_difference_jacobian(p, flatten<dim>(f), step);
    const Mat<dim* dim> actual = stress_derivative<dim>(m, f, false);
    EXPECT_LT(relative_difference(actual, expected, m.mu), 2e-6);
    EXPECT_GT(actual.norm(), 1e-2 * m.mu);
    // The change of the stress along a direction, with formulas of its own for some laws.
    Mat<dim> df;
    for (int k = 0; k < dim * dim; ++k) df(k) = 0.3 + 0.7 * (k * k % 5) - 0.2 * k;
    const VecX change = flatten<dim>(stress_change<dim>(m, f, df));
    EXPECT_LT((change - actual * flatten<dim>(df)).norm(), 1e-10 * actual.norm() * df.norm());
  });
}

TEST(Materials, HessianMatchesFiniteDifferencesOfStress) {
  check_hessian<2>();
  check_hessian<3>();
}

template <int dim>
void expect_projection_of(const Mat<dim * dim>& hessian, const Mat<dim * dim>& projected) {
  const Mat<dim* dim> symmetric = 0.5 * (hessian + hessian.transpose());
  const Mat<dim* dim> twin = project_to_psd<dim * dim>(symmetric);
  EXPECT_LT((projected - twin).cwiseAbs().maxCoeff(), 1e-9 * hessian.cwiseAbs().maxCoeff());
}

template <int dim>
void check_projection() {
  int num_changed = 0;
  for_all_deformations<dim>(23, 40, [&](const MaterialParameters& m, const Mat<dim>& f, std::mt19937_64&) {
    const Mat<dim*dim> hessian = stress_derivative<dim>(m, f, false), projected = stress_derivative<dim>(m, f, true);
    expect_projection_of<dim>(hessian, projected);
    if ((hessian - projected).norm() > 1e-6 * hessian.norm()) ++num_changed;
  });
  EXPECT_GT(num_changed, 100);
}

TEST(Materials, ProjectedHessianEqualsEigenDecomposition) {
  check_projection<2>();
  check_projection<3>();
}

template <int dim>
void check_inverted() {
  std::mt19937_64 rng(24);
  for (const ElasticModel model : {ElasticModel::fixed_corotational, ElasticModel::st_venant_kirchhoff}) {
    const MaterialParameters material = make_material(model, 10.0, 0.4);
    for (int trial = 0; trial < 1000; ++trial) {
      Vec<dim> s = random_stretches<dim>(trial % num_stretch_kinds, rng);
      std::sort(s.data(), s.data() + dim, std::greater<>());
      // Keep off the set where R is not unique: the derivative does not exist there.
      s[dim - 1] = -std::min(s[dim - 1], 0.9 * s[dim - 2]);
      const Mat<dim> f = with_singular_values<dim>(s, rng);
      SCOPED_TRACE(::testing::Message() << "seed 24, trial " << trial << ", singular values " << s.transpose());
      expect_projection_of<dim>(stress_derivative<dim>(material, f, false), stress_derivative<dim>(material, f, true));
    }
  }
}

TEST(Materials, ProjectedHessianOfInvertedElementsEqualsEigenDecomposition) {
  check_inverted<2>();
  check_inverted<3>();
}

TEST(Materials, ProjectedHessianIsFiniteWhereTheRotationIsNotUnique) {
  std::mt19937_64 rng(25);
  const MaterialParameters material = make_material(ElasticModel::fixed_corotational, 10.0, 0.4);
  for (int trial = 0; trial < 200; ++trial) {
    for (const Vec<3>& s : {Vec<3>(1, 1, -1), Vec<3>(1, 0, 0), Vec<3>(0, 0, 0), Vec<3>(2, 0.5, -0.5)}) {
      const Mat<9> hessian = stress_derivative<3>(material, with_singular_values<3>(s, rng), true);
      ASSERT_TRUE(hessian.allFinite()) << "seed 25, trial " << trial << ", s " << s.transpose();
      EXPECT_LT((project_to_psd<9>(0.5 * (hessian + hessian.transpose())) - hessian).norm(), 1e-9 * hessian.norm());
    }
  }
}

template <int dim>
void check_invariance() {
  for_all_deformations<dim>(26, 6, [](const MaterialParameters& m, const Mat<dim>& f, std::mt19937_64& rng) {
    if (m.model == ElasticModel::linear_elasticity) return;
    const Mat<dim> r = random_rotation<dim>(rng);
    const double psi = energy_density<dim>(m, f), size = m.mu + m.lambda;
    EXPECT_NEAR(energy_density<dim>(m, r * f), psi, 1e-12 * (psi + size * f.norm()));
    EXPECT_NEAR(energy_density<dim>(m, f * r), psi, 1e-12 * (psi + size * f.norm()));
    const Mat<dim> stress = first_piola_stress<dim>(m, f);
    EXPECT_LT((first_piola_stress<dim>(m, r * f) - r * stress).norm(), 1e-11 * (stress.norm() + size * f.norm()));
    // The Kirchhoff stress P F^T is symmetric: no torque.
    const Mat<dim> kirchhoff = stress * f.transpose();
    EXPECT_LT((kirchhoff - kirchhoff.transpose()).norm(), 1e-12 * (kirchhoff.norm() + size));
  });
}

TEST(Materials, EnergyAndStressAreInvariantUnderRotation) {
  check_invariance<2>();
  check_invariance<3>();
}

TEST(Materials, RestIsStressFreeWithZeroEnergy) {
  std::mt19937_64 rng(27);
  for (const ElasticModel model : all_models) {
    const MaterialParameters material = make_material(model, 1e6, 0.45);
    EXPECT_EQ(energy_density<3>(material, Mat<3>::Identity()), 0.0);
    EXPECT_LT(first_piola_stress<3>(material, Mat<3>::Identity()).norm(), 1e-15 * 1e6);
    EXPECT_EQ(energy_density<2>(material, Mat<2>::Identity()), 0.0);
    EXPECT_LT(first_piola_stress<2>(material, Mat<2>::Identity()).norm(), 1e-15 * 1e6);
    if (model == ElasticModel::linear_elasticity) continue;
    // Squares of rounding errors, not rounding errors, remain after a rotation.
    EXPECT_LT(energy_density<3>(material, random_rotation<3>(rng)), 1e-28 * 1e6);
  }
}

TEST(Materials, SmallStrainAgreesWithLinearElasticity) {
  std::mt19937_64 rng(28);
  const MaterialParameters linear = make_material(ElasticModel::linear_elasticity, 10.0, 0.3);
  for (const ElasticModel model : all_models) {
    const MaterialParameters material = make_material(model, 10.0, 0.3);
    for (int trial = 0; trial < 100; ++trial) {
      const Mat<3> change = random_matrix<3>(rng);
      const Mat<3> f = Mat<3>::Identity() + 1e-6 * (change + change.transpose());
      const double psi = energy_density<3>(linear, f);
      EXPECT_NEAR(energy_density<3>(material, f), psi, 1e-4 * psi) << "seed 28, model " << static_cast<int>(model);
      const Mat<3> stress = first_piola_stress<3>(linear, f);
      EXPECT_LT((first_piola_stress<3>(material, f) - stress).norm(), 1e-4 * stress.norm()) << "seed 28";
    }
  }
}

TEST(Materials, NeoHookeanEnergyIsAccurateFarBelowTheRoundingOfMu) {
  // Diagonal F = diag(s, 1, 1): psi = mu/2 (s^2 - 1 - 2 ln s) + lambda/2 ln^2 s, by series around s = 1.
  const MaterialParameters material = make_material(ElasticModel::neo_hookean, 1.0, 0.3);
  for (const double e : {1e-3, 1e-5, 1e-7, 1e-9, -1e-4, -1e-8}) {
    const Mat<3> f = Vec<3>(1.0 + e, 1, 1).asDiagonal();
    const long double x = static_cast<long double>(f(0, 0)) - 1.0L, l = std::log1p(x);
    const long double q = x * x * (0.5L - x * (1 / 3.0L - x * (0.25L - x * (0.2L - x / 6.0L))));  // x - ln(1 + x)
    const auto expected = static_cast<double>(material.mu * (q + 0.5L * x * x) + 0.5L * material.lambda * l * l);
    // f(0, 0) - 1 is exact, but f(0, 0)^2 is rounded: relative 1e-16 / e.
    EXPECT_NEAR(energy_density<3>(material, f), expected, 1e-15 / std::abs(e) * expected) << e;
  }
}

TEST(Materials, EnergyIsContinuousWhereTheFormulaChanges) {
  // The series hands over to the logarithm at |C - I| = 0.1.
  const MaterialParameters material = make_material(ElasticModel::neo_hookean, 1.0, 0.4);
  for (const double sign : {-1.0, 1.0}) {
    const double s = std::sqrt(1.0 + sign * 0.1);
    const Mat<3> before = Vec<3>(s * (1 - 1e-13), 1, 1).asDiagonal(),
                 after = Vec<3>(s * (1 + 1e-13), 1, 1).asDiagonal();
    EXPECT_NEAR(energy_density<3>(material, before), energy_density<3>(material, after), 1e-13);
  }
}

TEST(Materials, UniformStretchMatchesClosedForm) {
  const double mu = 3.0, lambda = 5.0, s = 1.7;
  const Mat<3> f = s * Mat<3>::Identity();
  MaterialParameters m{ElasticModel::neo_hookean, mu, lambda};
  const double log_j = 3 * std::log(s);
  EXPECT_NEAR(energy_density<3>(m, f), 1.5 * mu * (s * s - 1) - mu * log_j + 0.5 * lambda * log_j * log_j, 1e-13);
  EXPECT_NEAR(first_piola_stress<3>(m, f)(1, 1), mu * (s - 1 / s) + lambda * log_j / s, 1e-13);
  m.model = ElasticModel::fixed_corotational;
  EXPECT_NEAR(energy_density<3>(m, f), 3 * mu * (s - 1) * (s - 1) + 0.5 * lambda * std::pow(s * s * s - 1, 2), 1e-12);
  m.model = ElasticModel::st_venant_kirchhoff;
  const double e = 0.5 * (s * s - 1);
  EXPECT_NEAR(energy_density<3>(m, f), 3 * mu * e * e + 0.5 * lambda * 9 * e * e, 1e-12);
  m.model = ElasticModel::linear_elasticity;
  EXPECT_NEAR(energy_density<3>(m, f), 3 * mu * std::pow(s - 1, 2) + 4.5 * lambda * std::pow(s - 1, 2), 1e-12);
}

TEST(Materials, NeoHookeanEnergyIsInfiniteForFlatAndInvertedElements) {
  const MaterialParameters material = make_material(ElasticModel::neo_hookean, 1.0, 0.4);
  EXPECT_EQ(energy_density<3>(material, Vec<3>(1, 1, 0).asDiagonal().toDenseMatrix()), infinity);
  EXPECT_EQ(energy_density<3>(material, Vec<3>(1, 1, -0.99).asDiagonal().toDenseMatrix()), infinity);
  EXPECT_EQ(energy_density<2>(material, Vec<2>(1, -1).asDiagonal().toDenseMatrix()), infinity);
  EXPECT_LT(energy_density<3>(material, Vec<3>(1, 1, 1e-100).asDiagonal().toDenseMatrix()), infinity);
}

TEST(Materials, LameParametersOfYoungsModulusAndPoissonRatio) {
  const MaterialParameters m = make_material(ElasticModel::linear_elasticity, 2.6, 0.3, 7.0, 0.5);
  EXPECT_NEAR(m.mu, 1.0, 1e-15);
  EXPECT_NEAR(m.lambda, 1.5, 1e-14);
  EXPECT_EQ(m.density, 7.0);
  EXPECT_EQ(m.damping, 0.5);
  // Uniaxial stress: sigma_xx = E strain, no lateral stress, for lateral strain -nu times the axial one.
  const Mat<3> f = Mat<3>::Identity() + Mat<3>(Vec<3>(0.01, -0.003, -0.003).asDiagonal());
  const Mat<3> stress = first_piola_stress<3>(m, f);
  EXPECT_NEAR(stress(0, 0), 2.6 * 0.01, 1e-15);
  EXPECT_NEAR(stress(1, 1), 0.0, 1e-15);
}

}  // namespace
}  // namespace clearance
