// Stress, strain and energy of elements against closed forms.
#include "clearance/bodies/fem/element_state.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <random>

#include "clearance/bodies/fem/elastic_potential.h"

namespace clearance {
namespace {

constexpr std::array all_models = {ElasticModel::neo_hookean, ElasticModel::fixed_corotational,
                                   ElasticModel::st_venant_kirchhoff, ElasticModel::linear_elasticity};

TEST(ElementState, NeoHookeanBarInTensionHasTheClosedForm) {
  // Cauchy stress of the material along principal axes: (mu (l_i^2 - 1) + lambda ln J) / J. A bar whose sides are free
  // contracts so that this is zero across.
  const MaterialParameters material = make_material(ElasticModel::neo_hookean, 2e6, 0.3);
  for (const double stretch : {0.5, 0.9, 1.0 + 1e-6, 1.3, 2.5}) {
    double low = 0.1, high = 3.0;
    const auto across = [&](double t) {
      return material.mu * (t * t - 1.0) + material.lambda * std::log(stretch * t * t);
    };
    for (int i = 0; i < 200; ++i) (across(0.5 * (low + high)) < 0.0 ? low : high) = 0.5 * (low + high);
    const double t = 0.5 * (low + high), j = stretch * t * t;
    const double stress = material.mu * (stretch * stretch - t * t) / j;

    const Mat<3> turn = Eigen::AngleAxisd(0.7, Vec<3>(1, 2, 3).normalized()).toRotationMatrix();
    const Mat<3> f = turn * Vec<3>(t, stretch, t).asDiagonal() * turn.transpose();
    const ElementState state = element_state(material, f);
    const Eigen::Index along = stretch > 1.0 ? 0 : 2;
    EXPECT_NEAR(state.principal_stress[along], stress, 1e-9 * 2e6) << stretch;
    EXPECT_NEAR(state.principal_stress[1], 0.0, 1e-9 * 2e6);
    EXPECT_NEAR(state.von_mises, std::abs(stress), 1e-9 * 2e6);
    EXPECT_NEAR(state.principal_strain[along], std::log(stretch), 1e-14);
    EXPECT_NEAR(state.principal_strain[1], std::log(t), 1e-14);
    if (std::abs(stretch - 1.0) < 1e-5) {
      EXPECT_NEAR(stress, 2e6 * (stretch - 1.0), 1e-5 * stress) << "Hooke's law of a bar";
    }
  }
}

TEST(ElementState, RotationAloneGivesNothing) {
  const Mat<3> turn = Eigen::AngleAxisd(2.0, Vec<3>(1, -2, 0.5).normalized()).toRotationMatrix();
  for (const ElasticModel model : all_models) {
    if (model == ElasticModel::linear_elasticity) continue;  // is not invariant to rotation
    const ElementState state = element_state(make_material(model, 1e6, 0.4), turn);
    EXPECT_LT(state.principal_stress.cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT(state.von_mises, 1e-8);
    EXPECT_LT(state.principal_strain.cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT(state.energy_density, 1e-8);
  }
}

TEST(ElementState, SmallStrainsGiveHookesLawForEveryMaterial) {
  // Plane strain: the stress across the plane is nu times the sum of those in it.
  for (const ElasticModel model : all_models) {
    const MaterialParameters material = make_material(model, 1e6, 0.25);
    Mat<3> f = Mat<3>::Identity();
    f(0, 0) += 3e-6;
    f(1, 1) -= 1e-6;
    f(0, 1) += 2e-6;
    const ElementState state = element_state(material, f);
    const double xx = 2 * material.mu * 3e-6 + material.lambda * 2e-6,
                 yy = -2 * material.mu * 1e-6 + material.lambda * 2e-6;
    const double xy = material.mu * 2e-6, zz = 0.25 * (xx + yy);
    const double radius = std::hypot(0.5 * (xx - yy), xy);  // of Mohr's circle
    EXPECT_NEAR(state.principal_stress[0], 0.5 * (xx + yy) + radius, 1e-4);
    EXPECT_NEAR(state.principal_stress[1], zz, 1e-4);
    EXPECT_NEAR(state.principal_stress[2], 0.5 * (xx + yy) - radius, 1e-4);
    const double mises =
        std::sqrt(0.5 * ((xx - yy) * (xx - yy) + (yy - zz) * (yy - zz) + (zz - xx) * (zz - xx)) + 3 * xy * xy);
    EXPECT_NEAR(state.von_mises, mises, 1e-4);
  }
}

/// Two simplices that share a face, of two materials.
template <int dim>
ElementMesh<dim> two_elements() {
  ElementMesh<dim> mesh;
  if constexpr (dim == 3) {
    mesh.x_rest.resize(15);
    mesh.x_rest << 0, 0, 0, 1, 0, 0, 0, 1.2, 0, 0, 0, 0.9, 1, 1, 1;
    mesh.nodes = {0, 1, 2, 3, 1, 2, 3, 4};
  } else {
    mesh.x_rest.resize(8);
    mesh.x_rest << 0, 0, 1, 0, 0, 1.2, 1, 1;
    mesh.nodes = {0, 1, 2, 1, 3, 2};
  }
  mesh.material_of_element = {0, 1};
  mesh.materials = {make_material(ElasticModel::neo_hookean, 1e5, 0.3),
                    make_material(ElasticModel::fixed_corotational, 3e5, 0.4)};
  return mesh;
}

template <int dim>
void expect_energy_to_be_the_integral() {
  const ElementMesh<dim> mesh = two_elements<dim>();
  ElasticPotential<dim> potential(mesh);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> shift(-0.1, 0.1);
  for (int n = 0; n < 20; ++n) {
    VecX x = mesh.x_rest;
    for (double& value : x) value += shift(random);
    const std::vector<ElementState> states = potential.element_states(x);
    double sum = 0.0;
    for (std::size_t e = 0; e < 2; ++e) {
      const Mat<dim> edges = edge_matrix<dim>(mesh.x_rest, mesh.nodes_of(e));
      sum += states[e].energy_density * std::abs(edges.determinant()) / (dim == 3 ? 6.0 : 2.0);
    }
    EXPECT_NEAR(sum, potential.energy(x).value(), 1e-12 * sum);
    EXPECT_GT(sum, 0.0);
  }
}
TEST(ElementState, EnergyDensityIntegratesToTheElasticEnergy) {
  expect_energy_to_be_the_integral<3>();
  expect_energy_to_be_the_integral<2>();
}

}  // namespace
}  // namespace clearance
