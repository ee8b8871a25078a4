// Plane stress against the law in space, minimised over the stretch across the plane.
#include "clearance/bodies/fem/plane_stress.h"

#include <gtest/gtest.h>

#include "clearance/bodies/fem/element_state.h"
#include "clearance/bodies/fem/materials.h"
#include "clearance/math/psd.h"
#include "fem_fixtures.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using namespace test;

VecX flatten(const Mat<2>& f) {
  return Eigen::Map<const VecX>(f.data(), 4);
}
Mat<2> unflatten(const VecX& f) {
  return Eigen::Map<const Mat<2>>(f.data());
}

MaterialParameters plane_stress(ElasticModel model, double youngs_modulus, double poisson_ratio) {
  return make_material(plane_stress_of(model), youngs_modulus, poisson_ratio);
}

/// Runs check(material in plane stress, the same in space, F) on random deformations of every law.
template <class Check>
void for_all_deformations(int seed, const Check& check) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> logarithm(-1.0, 1.0);
  for (const ElasticModel model : all_models) {
    for (const double nu : {0.0, 0.3, 0.499}) {
      for (int trial = 0; trial < 40; ++trial) {
        // The quadratic laws let the thickness vanish where the plane is stretched by much.
        const double size = model == ElasticModel::neo_hookean || model == ElasticModel::fixed_corotational ? 1.0 : 0.2;
        Vec<2> s(std::exp(size * logarithm(rng)), std::exp(size * logarithm(rng)));
        const Mat<2> f = model == ElasticModel::linear_elasticity
                             ? Mat<2>(Mat<2>::Identity() + 0.1 * random_matrix<2>(rng))
                             : with_singular_values<2>(s, rng);
        SCOPED_TRACE(::testing::Message()
                     << "seed " << seed << ", law " << static_cast<int>(model) << ", nu " << nu << ", trial " << trial);
        check(plane_stress(model, 10.0, nu), make_material(model, 10.0, nu), f);
      }
    }
  }
}

Mat<3> in_space(const Mat<2>& f, double t) {
  Mat<3> whole = Mat<3>::Identity();
  whole.topLeftCorner<2, 2>() = f;
  whole(2, 2) = t;
  return whole;
}

TEST(PlaneStress, HasTheLeastEnergyOverAllStretchesAcross) {
  for_all_deformations(31, [](const MaterialParameters& plane, const MaterialParameters& space, const Mat<2>& f) {
    double low = 0.02, high = 20.0;
    const auto psi = [&](double t) { return energy_density<3>(space, in_space(f, t)); };
    for (int i = 0; i < 200; ++i) {
      const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
      (psi(a) < psi(b) ? high : low) = psi(a) < psi(b) ? b : a;
    }
    const double least = psi(0.5 * (low + high));
    EXPECT_NEAR(energy_density<2>(plane, f), least, 1e-10 * (least + 1e-3));
    EXPECT_NEAR(gradient_in_space<2>(plane, f)(2, 2), 0.5 * (low + high), 1e-5);
  });
}

TEST(PlaneStress, LeavesNoStressAcross) {
  for_all_deformations(32, [](const MaterialParameters& plane, const MaterialParameters& space, const Mat<2>& f) {
    const Mat<3> whole = gradient_in_space<2>(plane, f);
    const Mat<3> stress = first_piola_stress<3>(space, whole);
    EXPECT_NEAR(stress(2, 2), 0.0, 1e-12 * (space.mu + space.lambda) * whole.norm());
    const Mat<2> in_plane = stress.topLeftCorner<2, 2>();
    EXPECT_LT((first_piola_stress<2>(plane, f) - in_plane).norm(), 1e-11 * (space.mu + space.lambda) * whole.norm());
    const Mat<3> cauchy = cauchy_stress(plane, whole);
    EXPECT_NEAR(cauchy(2, 2), 0.0, 1e-11 * (space.mu + space.lambda));
  });
}

TEST(PlaneStress, DerivativesMatchFiniteDifferences) {
  for_all_deformations(33, [](const MaterialParameters& plane, const MaterialParameters& /*space*/, const Mat<2>& f) {
    const auto psi = [&](const VecX& y) { return energy_density<2>(plane, unflatten(y)); };
    const VecX slope = finite_difference_gradient(psi, flatten(f), finite_difference_step);
    EXPECT_LT(relative_difference(flatten(first_piola_stress<2>(plane, f)), slope, plane.mu), 2e-6);
    const auto p = [&](const VecX& y) { return flatten(first_piola_stress<2>(plane, unflatten(y))); };
    const MatX expected = finite_difference_jacobian(p, flatten(f), finite_difference_step);
    const Mat<4> actual = stress_derivative<2>(plane, f, false);
    EXPECT_LT(relative_difference(actual, expected, plane.mu), 2e-6);
    const Mat<4> twin = project_to_psd<4>(Mat<4>(0.5 * (actual + actual.transpose())));
    EXPECT_LT((stress_derivative<2>(plane, f, true) - twin).norm(), 1e-9 * actual.norm());
  });
}

TEST(PlaneStress, DerivativesByTheModuliMatchFiniteDifferences) {
  for_all_deformations(34, [](const MaterialParameters& plane, const MaterialParameters& /*space*/, const Mat<2>& f) {
    Mat<2> sum = Mat<2>::Zero();
    for (const auto modulus : {&MaterialParameters::mu, &MaterialParameters::lambda}) {
      MaterialParameters more = plane, less = plane;
      const double step = 1e-5 * plane.mu;
      more.*modulus += step;
      less.*modulus -= step;
      const Mat<2> expected = (first_piola_stress<2>(more, f) - first_piola_stress<2>(less, f)) / (2.0 * step);
      const Mat<2> actual = stress_by_modulus<2>(plane, f, modulus);
      EXPECT_LT((actual - expected).norm(), 1e-6 * (1.0 + expected.norm()));
      sum += plane.*modulus * actual;
    }
    const Mat<2> stress = first_piola_stress<2>(plane, f);
    EXPECT_LT((sum - stress).norm(), 1e-9 * (stress.norm() + plane.mu));
  });
}

TEST(PlaneStress, APulledBarHasYoungsModulusAndContractsByPoissonsRatio) {
  // Hooke's law of a bar: stress E e along it, -nu e across it in both directions, for all laws at small strains.
  for (const ElasticModel model : all_models) {
    const MaterialParameters plane = plane_stress(model, 7.0, 0.3);
    const double e = 1e-6;
    const Mat<2> f = Vec<2>(1.0 + e, 1.0 - 0.3 * e).asDiagonal().toDenseMatrix();
    const Mat<2> stress = first_piola_stress<2>(plane, f);
    EXPECT_NEAR(stress(0, 0), 7.0 * e, 1e-5 * 7.0 * e);
    EXPECT_NEAR(stress(1, 1), 0.0, 1e-5 * 7.0 * e);
    EXPECT_NEAR(gradient_in_space<2>(plane, f)(2, 2), 1.0 - 0.3 * e, 1e-5 * e);
    EXPECT_NEAR(energy_density<2>(plane, f), 0.5 * 7.0 * e * e, 1e-4 * 7.0 * e * e);
  }
}

TEST(PlaneStress, NeoHookeanStretchIsFoundHoweverLargeTheArea) {
  for (const double nu : {0.0, 1e-6, 0.1, 0.49, 0.49999}) {
    const MaterialParameters m = make_material(ElasticModel::neo_hookean, 1.0, nu);
    for (const double j : {1e-100, 1e-8, 1e-2, 0.999, 1.0, 1.0 + 1e-12, 1.5, 1e2, 1e8, 1e100}) {
      const double t = material_kernels::stretch_across(material_kernels::NeoHookean{}, j, m.mu, m.lambda);
      const double pull = m.mu * (t * t - 1.0), push = m.lambda * (std::log(j) + std::log(t));
      // A double t knows ln t to 1e-16.
      const double rounding = 1e-12 * (m.mu + std::abs(pull) + m.lambda * std::abs(std::log(j))) + 2e-16 * m.lambda;
      EXPECT_NEAR(pull + push, 0.0, rounding) << nu << ' ' << j;
    }
  }
  const MaterialParameters plane = plane_stress(ElasticModel::neo_hookean, 1.0, 0.4);
  EXPECT_EQ(energy_density<2>(plane, Vec<2>(1, 0).asDiagonal().toDenseMatrix()), infinity);
  EXPECT_EQ(energy_density<2>(plane, Vec<2>(1, -1).asDiagonal().toDenseMatrix()), infinity);
}

}  // namespace
}  // namespace clearance
