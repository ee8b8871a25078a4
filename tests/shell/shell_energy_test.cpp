// Energies of shells: derivatives against differences, plates of known energy, invariance.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <memory>

#include "clearance/bodies/shell/bending_potential.h"
#include "clearance/bodies/shell/membrane_potential.h"
#include "shell/shell_fixtures.h"
#include "support/restricted_potential.h"

namespace clearance {
namespace {

std::shared_ptr<const ShellMesh> shared(const Sheet& sheet) {
  return std::make_shared<const ShellMesh>(sheet.mesh);
}

VecX shaken(const Sheet& sheet, double size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> shift(-size, size);
  VecX x = sheet.rest();
  for (double& value : x) value += shift(random);
  return x;
}

MatX dense(const BlockSparseMatrix& matrix) {
  MatX all(matrix.num_rows(), matrix.num_rows());
  for (int c = 0; c < matrix.num_rows(); ++c) {
    VecX unit = VecX::Zero(matrix.num_rows());
    unit[c] = 1.0;
    all.col(c) = matrix.multiply(unit);
  }
  return all;
}

/// Compares the gradient with differences of the energy, and the exact Hessian with differences of the gradient.
void expect_derivatives(Potential& potential, const VecX& x, double tolerance) {
  const double step = 1e-6;
  VecX gradient = VecX::Zero(x.size());
  potential.add_gradient(x, 1.0, gradient);
  BlockSparseMatrix matrix(3, static_cast<int>(x.size()) / 3, potential.pattern());
  VecX again = VecX::Zero(x.size());
  potential.add_exact_derivatives(x, 1.0, again, matrix);
  EXPECT_LT((again - gradient).norm(), 1e-14 * gradient.norm());
  const MatX hessian = dense(matrix);
  MatX differences(x.size(), x.size());
  VecX of_energy(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    VecX more = x, less = x;
    more[i] += step;
    less[i] -= step;
    VecX g_more = VecX::Zero(x.size()), g_less = g_more;
    potential.add_gradient(more, 1.0, g_more);
    potential.add_gradient(less, 1.0, g_less);
    differences.col(i) = (g_more - g_less) / (2.0 * step);
    of_energy[i] = (potential.energy(more).value() - potential.energy(less).value()) / (2.0 * step);
  }
  EXPECT_LT((of_energy - gradient).norm(), tolerance * gradient.norm());
  EXPECT_LT((differences - hessian).norm(), tolerance * hessian.norm());
  BlockSparseMatrix projected(3, static_cast<int>(x.size()) / 3, potential.pattern());
  potential.add_hessian(x, 1.0, projected);
  const Eigen::SelfAdjointEigenSolver<MatX> solver(dense(projected));
  EXPECT_GT(solver.eigenvalues()[0], -1e-10 * solver.eigenvalues()[x.size() - 1]);
}

ShellMaterial material_of(ElasticModel law, BendingModel bending) {
  ShellMaterial material;
  material.law = law;
  material.bending = bending;
  material.youngs_modulus = 1e3;
  material.thickness = 0.05;
  return material;
}

TEST(ShellEnergy, DerivativesOfMembranes) {
  for (const ElasticModel law : {ElasticModel::neo_hookean, ElasticModel::st_venant_kirchhoff}) {
    for (const unsigned seed : {1U, 2U, 3U}) {
      Sheet sheet = make_square(2, SheetPattern::shuffled);
      build(material_of(law, BendingModel::none), sheet);
      MembranePotential potential(shared(sheet));
      expect_derivatives(potential, shaken(sheet, 0.15, seed), 1e-6);
    }
  }
}

TEST(ShellEnergy, DerivativesOfAMembraneWithALimit) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    Sheet sheet = make_square(3, SheetPattern::union_jack);
    ShellMaterial material = material_of(ElasticModel::neo_hookean, BendingModel::none);
    material.strain_limit = 0.6;
    build(material, sheet);
    MembranePotential potential(shared(sheet));
    VecX x = shaken(sheet, 0.01, seed);
    // Beyond the start of the barrier, and once with equal stretches.
    for (Eigen::Index i = 0; i < x.size(); ++i) x[i] *= i % 3 == 0 || seed == 1U ? 1.42 : 1.0;
    ASSERT_TRUE(potential.is_feasible(x));
    expect_derivatives(potential, x, 1e-6);
  }
}

TEST(ShellEnergy, NoStepReachesTheStrainLimit) {
  std::mt19937 random(12);
  std::uniform_real_distribution<double> shift(-0.5, 0.5);
  Sheet sheet = make_square(3, SheetPattern::shuffled);
  ShellMaterial material = material_of(ElasticModel::neo_hookean, BendingModel::none);
  material.strain_limit = 0.05;
  build(material, sheet);
  MembranePotential potential(shared(sheet));
  VecX beyond = sheet.rest();
  beyond *= 1.0501;
  EXPECT_FALSE(potential.is_feasible(beyond));
  for (int trial = 0; trial < 200; ++trial) {
    const VecX x = sheet.rest();
    VecX dx = VecX::Zero(x.size());
    for (double& value : dx) value = shift(random);
    const double alpha = potential.max_feasible_step(x, dx).alpha;
    EXPECT_GT(alpha, 0.0);
    EXPECT_LT(alpha, 1.0);
    for (int i = 0; i <= 100; ++i) ASSERT_TRUE(potential.is_feasible(x + alpha * i / 100.0 * dx));
  }
}

// Two materials side by side, as one of a field: each triangle has its own law, and neighbours share their strain.
TEST(ShellEnergy, DerivativesWhereMaterialsMeet) {
  Sheet sheet = make_square(2, SheetPattern::shuffled);
  std::vector<ShellMaterial> materials;
  for (std::size_t t = 0; t < sheet.triangles.size(); ++t) {
    materials.push_back(material_of(ElasticModel::neo_hookean, BendingModel::slopes));
    materials.back().youngs_modulus *= t % 2 == 0 ? 1.0 : t % 3 == 0 ? 1.5 : 3.0;
    materials.back().poisson_ratio = 0.1 + 0.02 * static_cast<double>(t);
  }
  build(materials, sheet);
  MembranePotential membrane(shared(sheet));
  BendingPotential bending(shared(sheet));
  expect_derivatives(membrane, shaken(sheet, 0.1, 4), 1e-6);
  expect_derivatives(bending, shaken(sheet, 0.1, 4), 1e-5);
  // Stretched evenly, each triangle has the energy of its own material.
  VecX x = sheet.rest();
  for (Eigen::Index i = 0; i < x.size(); i += 3) x[i] *= 1.2;
  double sum = 0.0;
  for (std::size_t t = 0; t < materials.size(); ++t) {
    const double e = materials[t].youngs_modulus, nu = materials[t].poisson_ratio;
    const double log_det = std::log(1.44);
    sum += sheet.mesh.triangles[t].area * materials[t].thickness *
           (0.25 * e / (1.0 + nu) * (0.44 - log_det) + 0.125 * e * nu / (1.0 - nu * nu) * log_det * log_det);
  }
  EXPECT_NEAR(membrane.energy(x).value(), sum, 1e-12 * sum);
}

TEST(ShellEnergy, DerivativesOfAWovenMembrane) {
  Sheet sheet = make_square(2, SheetPattern::shuffled);
  ShellMaterial material = material_of(ElasticModel::neo_hookean, BendingModel::none);
  material.orthotropy = Orthotropy{Vec<3>(1.0, 0.4, 0.0), 2e3, 1e3, 0.2, 1e2};
  build(material, sheet);
  MembranePotential potential(shared(sheet));
  expect_derivatives(potential, shaken(sheet, 0.15, 4), 1e-6);
}

TEST(ShellEnergy, DerivativesOfBending) {
  for (const BendingModel bending : {BendingModel::slopes, BendingModel::hinges}) {
    for (const unsigned seed : {1U, 2U, 3U}) {
      Sheet sheet = make_square(2, SheetPattern::shuffled);
      // One triangle is turned over, as a mesh without an order of its sides has them.
      std::swap(sheet.triangles[3][0], sheet.triangles[3][1]);
      build(material_of(ElasticModel::neo_hookean, bending), sheet);
      BendingPotential potential(shared(sheet));
      expect_derivatives(potential, shaken(sheet, 0.15, seed), 1e-5);
    }
  }
}

TEST(ShellEnergy, DerivativesOfClampedEdges) {
  Sheet sheet = make_square(2, SheetPattern::shuffled);
  std::swap(sheet.triangles[1][0], sheet.triangles[1][1]);
  build(material_of(ElasticModel::neo_hookean, BendingModel::slopes), sheet);
  sheet.mesh.clamps.push_back({[](double, double time) -> std::optional<Mat<3>> {
    return Mat<3>(Eigen::AngleAxisd(time, Vec<3>(1.0, 0.2, 0.3).normalized()).toRotationMatrix());
  }});
  for (ShellEdge& edge : sheet.mesh.edges) {
    if (edge.nodes[0] < 6 && edge.nodes[1] < 6) edge.clamp = 0;
  }
  BendingPotential potential(shared(sheet));
  ASSERT_TRUE(potential.begin_step(sheet.rest(), 0.1, 0.4));
  const VecX x = shaken(sheet, 0.1, 5);
  const double step = 1e-6;
  VecX gradient = VecX::Zero(x.size());
  potential.add_gradient(x, 1.0, gradient);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    VecX more = x, less = x;
    more[i] += step;
    less[i] -= step;
    const double difference = (potential.energy(more).value() - potential.energy(less).value()) / (2.0 * step);
    EXPECT_NEAR(difference, gradient[i], 1e-6 * gradient.norm()) << i;
  }
}

// The nodes of an edge in a plane of symmetry are held across it alone, and the edge turns in the plane.
TEST(ShellEnergy, ClampedEdgesTurnAboutTheirFreeAxis) {
  Sheet sheet = make_square(2, SheetPattern::shuffled);
  std::swap(sheet.triangles[1][0], sheet.triangles[1][1]);
  // The sheet is curved, so that the normals of its border are not in the plane.
  for (Vec<3>& at : sheet.vertices) at[2] = 0.3 * at[0] * at[0] + 0.2 * at[1] * at[1] + 0.1 * at[1];
  build(material_of(ElasticModel::neo_hookean, BendingModel::slopes), sheet);
  sheet.mesh.clamps.push_back({[](double, double) { return Mat<3>(Mat<3>::Identity()); }});
  for (ShellEdge& edge : sheet.mesh.edges) {
    if (edge.nodes[0] >= 6 || edge.nodes[1] >= 6) continue;
    edge.clamp = 0;
    edge.free_axis = Vec<3>::UnitZ();
  }
  BendingPotential potential(shared(sheet));
  const VecX x = shaken(sheet, 0.1, 5);
  const double step = 1e-6, energy = potential.energy(x).value();
  VecX gradient = VecX::Zero(x.size());
  potential.add_gradient(x, 1.0, gradient);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    VecX more = x, less = x;
    more[i] += step;
    less[i] -= step;
    const double difference = (potential.energy(more).value() - potential.energy(less).value()) / (2.0 * step);
    EXPECT_NEAR(difference, gradient[i], 1e-6 * gradient.norm()) << i;
  }
  // Nothing changes where the whole sheet turns about the axis.
  const auto turned = [&](const Vec<3>& axis) {
    const Mat<3> turn = Eigen::AngleAxisd(2.5, axis).toRotationMatrix();
    VecX all = x;
    for (Eigen::Index v = 0; v < std::ssize(sheet.vertices); ++v) all.segment<3>(3 * v) = turn * x.segment<3>(3 * v);
    return potential.energy(all).value();
  };
  EXPECT_NEAR(turned(Vec<3>::UnitZ()), energy, 1e-11 * energy);
  EXPECT_GT(std::abs(turned(Vec<3>::UnitX()) - energy), 0.1 * energy);
  // The clamp has no torque about the axis.
  VecX torques = VecX::Zero(x.size());
  potential.add_clamp_torques(x, torques);
  double about_axis = 0.0;
  for (Eigen::Index i = 2; i < x.size(); i += 3) about_axis += std::abs(torques[i]);
  EXPECT_LT(about_axis, 1e-14 * torques.norm());
  EXPECT_GT(torques.norm(), 0.0);
}

TEST(ShellEnergy, OfAPartHasTheDerivativesOfTheWholeThere) {
  Sheet sheet = make_square(5, SheetPattern::shuffled);
  build(material_of(ElasticModel::neo_hookean, BendingModel::slopes), sheet);
  sheet.mesh.clamps.push_back({[](double, double) { return Mat<3>(Mat<3>::Identity()); }});
  for (ShellEdge& edge : sheet.mesh.edges) {
    if (edge.nodes[0] < 6 && edge.nodes[1] < 6) edge.clamp = 0;
  }
  const VecX x = shaken(sheet, 0.02, 4);
  std::vector<char> part(sheet.num_blocks(), 0);
  for (const int b : {7, 8, 13, 14}) part[b] = 1;
  for (int b = 20; b < sheet.num_blocks(); b += 3) part[b] = 1;
  expect_same_within(MembranePotential(shared(sheet)), part, x);
  expect_same_within(BendingPotential(shared(sheet)), part, x);
}

TEST(ShellEnergy, TheTorqueOfAClampIsTheDerivativeByItsTurn) {
  const Vec<3> axis = Vec<3>(1.0, 0.2, 0.3).normalized();
  Sheet sheet = make_square(2, SheetPattern::shuffled);
  std::swap(sheet.triangles[1][0], sheet.triangles[1][1]);
  build(material_of(ElasticModel::neo_hookean, BendingModel::slopes), sheet);
  sheet.mesh.clamps.push_back({[axis](double, double time) -> std::optional<Mat<3>> {
    return Mat<3>(Eigen::AngleAxisd(time, axis).toRotationMatrix());
  }});
  for (ShellEdge& edge : sheet.mesh.edges) {
    if (edge.nodes[0] < 6 && edge.nodes[1] < 6) edge.clamp = 0;
  }
  BendingPotential potential(shared(sheet));
  const VecX x = shaken(sheet, 0.1, 5);
  const auto energy_at = [&](double time) {
    EXPECT_TRUE(potential.begin_step(sheet.rest(), 0.1, time));
    return potential.energy(x).value();
  };
  const double difference = (energy_at(0.4 + 1e-6) - energy_at(0.4 - 1e-6)) / 2e-6;
  energy_at(0.4);
  VecX torques = VecX::Zero(x.size());
  potential.add_clamp_torques(x, torques);
  Vec<3> sum = Vec<3>::Zero();
  for (Eigen::Index b = 0; b < x.size() / 3; ++b) sum += torques.segment<3>(3 * b);
  EXPECT_NEAR(sum.dot(axis), difference, 1e-6 * std::abs(difference));
}

/// Returns the least energy of bending for positions of the nodes, over all slopes inside. Those of the border are
/// those of the surface z = w(x, y), whose gradient is given.
template <class Gradient>
double relaxed_energy(const Sheet& sheet, VecX x, const Gradient& gradient_of_w) {
  BendingPotential potential(shared(sheet));
  std::vector<Eigen::Index> inside;
  for (const ShellEdge& edge : sheet.mesh.edges) {
    const Eigen::Index at = 3 * static_cast<Eigen::Index>(edge.slope.block) + edge.slope.component;
    if (edge.triangles[1] >= 0) {
      inside.push_back(at);
      continue;
    }
    const auto node = [&](int b) -> Vec<3> { return x.segment<3>(3 * static_cast<Eigen::Index>(b)); };
    const Vec<3> a = node(edge.nodes[0]), b = node(edge.nodes[1]), c = node(edge.opposite[0]);
    const Vec<3> normal = (b - a).cross(c - a).normalized(), outward = (b - a).normalized().cross(normal);
    const Vec<2> slope = gradient_of_w(Vec<3>(0.5 * (a + b)));
    const Vec<3> wanted = Vec<3>(-slope[0], -slope[1], 1.0).normalized();
    x[at] = edge.slope.length * std::atan2(wanted.dot(outward), wanted.dot(normal));
  }
  // The energy is quadratic in the slopes.
  VecX gradient = VecX::Zero(x.size());
  BlockSparseMatrix matrix(3, static_cast<int>(x.size()) / 3, potential.pattern());
  potential.add_gradient(x, 1.0, gradient);
  potential.add_hessian(x, 1.0, matrix);
  const MatX all = dense(matrix);
  const MatX block = all(inside, inside);
  const VecX by = block.ldlt().solve(VecX(gradient(inside)));
  for (std::size_t i = 0; i < inside.size(); ++i) x[inside[i]] -= by[static_cast<Eigen::Index>(i)];
  return potential.energy(x).value();
}

// thin_cases.json, bending-patch: the energy of prescribed small curvatures over D / 2 R^2.
TEST(ShellEnergy, ABentPlateHasTheEnergyOfPlatesOnEveryMesh) {
  struct Case {
    double xx, yy, xy, energy;  // curvatures, and energy for nu = 0.3
  };
  const std::vector<Case> cases = {
      {1.0, 0.0, 0.0, 1.0}, {0.5, 0.5, 0.5, 1.0}, {0.5, 0.5, -0.5, 1.0}, {1.0, 1.0, 0.0, 2.6}, {0.0, 0.0, 1.0, 1.4}};
  for (const SheetPattern pattern :
       {SheetPattern::right, SheetPattern::crossed, SheetPattern::union_jack, SheetPattern::shuffled}) {
    for (const auto& [xx, yy, xy, energy] : cases) {
      Sheet sheet = make_square(6, pattern);
      ShellMaterial material = material_of(ElasticModel::neo_hookean, BendingModel::slopes);
      material.poisson_ratio = 0.3;
      build(material, sheet);
      const double radius = 1e3;  // [m] so large that the plate stays shallow
      VecX x = sheet.rest();
      for (std::size_t v = 0; v < sheet.vertices.size(); ++v) {
        const double a = sheet.vertices[v][0], b = sheet.vertices[v][1];
        x[3 * static_cast<Eigen::Index>(v) + 2] = (0.5 * xx * a * a + 0.5 * yy * b * b + xy * a * b) / radius;
      }
      const double scale = 0.5 * material.flexural_rigidity() / (radius * radius);
      const auto gradient = [&, xx = xx, yy = yy, xy = xy](const Vec<3>& at) {
        return Vec<2>((xx * at[0] + xy * at[1]) / radius, (yy * at[1] + xy * at[0]) / radius);
      };
      EXPECT_NEAR(relaxed_energy(sheet, x, gradient) / scale, energy, 1e-4 * energy) << static_cast<int>(pattern);
    }
  }
}

// A plate whose curvature changes stores more than the means of its triangles do.
TEST(ShellEnergy, CurvaturesThatChangeStoreEnergy) {
  const double size = 1e-3;  // [1/m^2] so small that the plate stays shallow
  // Third derivatives 111, 112, 122 and 222 of the deflection.
  for (const Vec<4>& third : {Vec<4>(1, 0, 0, 0), Vec<4>(0, 1, 0, 0), Vec<4>(0, 0, 1, 0), Vec<4>(1, 0, -1, 0)}) {
    for (const SheetPattern pattern : {SheetPattern::crossed, SheetPattern::union_jack, SheetPattern::shuffled}) {
      Sheet sheet = make_square(6, pattern);
      ShellMaterial material = material_of(ElasticModel::neo_hookean, BendingModel::slopes);
      build(material, sheet);
      const auto node = [](VecX& of, int b) { return of.segment<3>(3 * static_cast<Eigen::Index>(b)); };
      VecX x = sheet.rest();
      for (std::size_t v = 0; v < sheet.vertices.size(); ++v) {
        const double a = sheet.vertices[v][0], b = sheet.vertices[v][1];
        node(x, static_cast<int>(v))[2] =
            size / 6.0 * third.dot(Vec<4>(a * a * a, 3.0 * a * a * b, 3.0 * a * b * b, b * b * b));
      }
      // The mean slope of an edge across itself, by Simpson's rule exact, less that which the faces beside it have.
      for (const ShellEdge& edge : sheet.mesh.edges) {
        const Vec<3> a = node(x, edge.nodes[0]), b = node(x, edge.nodes[1]), c = node(x, edge.opposite[0]);
        const Vec<2> along = (b - a).head<2>().normalized(), outward(along[1], -along[0]);
        const auto slope_at = [&](const Vec<2>& at) {
          const double p = at[0], q = at[1];
          return 0.5 * size *
                 Vec<2>(third.dot(Vec<4>(p * p, 2.0 * p * q, q * q, 0.0)),
                        third.dot(Vec<4>(0.0, p * p, 2.0 * p * q, q * q)))
                     .dot(outward);
        };
        const Vec<2> p = a.head<2>(), q = b.head<2>();
        const double wanted = (slope_at(p) + 4.0 * slope_at(0.5 * (p + q)) + slope_at(q)) / 6.0;
        const auto of_face = [&](const Vec<3>& opposite) {
          const Vec<3> normal = (b - a).cross(opposite - a);
          return -normal.head<2>().dot(outward) / normal[2];
        };
        double faces = of_face(c);
        if (edge.triangles[1] >= 0) faces = 0.5 * (faces + of_face(node(x, edge.opposite[1])));
        x[edge.slope.place()] = edge.slope.length * (faces - wanted);
      }
      double exact = 0.0, of_means = 0.0, stored = 0.0;
      const BendingPotential potential(shared(sheet));
      for (const ShellSample& sample : potential.samples(x)) {
        of_means += 0.5 * sample.area * sample.strain.dot(sample.stress);
        stored += sample.area * sample.energy;
      }
      EXPECT_NEAR(stored, potential.energy(x).value(), 1e-9 * stored);
      // The exact energy by the midpoints of the sides.
      const double nu = material.poisson_ratio;
      for (const ShellTriangle& triangle : sheet.mesh.triangles) {
        for (int i = 0; i < 3; ++i) {
          const Vec<3> at = 0.5 * (node(x, triangle.nodes[i]) + node(x, triangle.nodes[(i + 1) % 3]));
          const double xx = size * third.dot(Vec<4>(at[0], at[1], 0, 0)),
                       yy = size * third.dot(Vec<4>(0, 0, at[0], at[1])),
                       xy = size * third.dot(Vec<4>(0, at[0], at[1], 0));
          exact += triangle.area / 3.0 * 0.5 * material.flexural_rigidity() *
                   (xx * xx + yy * yy + 2.0 * nu * xx * yy + 2.0 * (1.0 - nu) * xy * xy);
        }
      }
      EXPECT_LT(of_means, 0.999 * exact);
      EXPECT_GT(stored - of_means, 0.8 * (exact - of_means)) << static_cast<int>(pattern);
      EXPECT_LT(stored - of_means, 2.5 * (exact - of_means)) << static_cast<int>(pattern);
    }
  }
}

TEST(ShellEnergy, HingesBendAlongAGridAsAPlate) {
  Sheet sheet = make_square(6, SheetPattern::right);
  build(material_of(ElasticModel::neo_hookean, BendingModel::hinges), sheet);
  const double radius = 1e3;
  VecX x = VecX::Zero(3 * std::ssize(sheet.vertices));
  for (std::size_t v = 0; v < sheet.vertices.size(); ++v) {
    const Vec<3>& at = sheet.vertices[v];
    x.segment<3>(3 * static_cast<Eigen::Index>(v)) = Vec<3>(at[0], at[1], 0.5 * at[0] * at[0] / radius);
  }
  const double scale = 0.5 * sheet.mesh.materials[0].flexural_rigidity() / (radius * radius);
  // The first and the last row of triangles have no hinge at the border: half a cell is missing on each side.
  EXPECT_NEAR(BendingPotential(shared(sheet)).energy(x).value() / scale, 5.0 / 6.0, 1e-3);
}

TEST(ShellEnergy, DoesNotDependOnWhereTheSheetIs) {
  Sheet sheet = make_square(3, SheetPattern::shuffled);
  build(material_of(ElasticModel::neo_hookean, BendingModel::slopes), sheet);
  MembranePotential membrane(shared(sheet));
  BendingPotential bending(shared(sheet));
  const VecX x = shaken(sheet, 0.05, 9);
  const Mat<3> turn = Eigen::AngleAxisd(2.0, Vec<3>(1.0, -2.0, 0.5).normalized()).toRotationMatrix();
  VecX moved = x;
  for (Eigen::Index v = 0; v < std::ssize(sheet.vertices); ++v) {
    moved.segment<3>(3 * v) = turn * x.segment<3>(3 * v) + Vec<3>(3.0, 1.0, -2.0);
  }
  EXPECT_NEAR(membrane.energy(moved).value(), membrane.energy(x).value(), 1e-11 * membrane.energy(x).value());
  EXPECT_NEAR(bending.energy(moved).value(), bending.energy(x).value(), 1e-11 * bending.energy(x).value());
  EXPECT_LT(membrane.energy(sheet.rest()).value(), 1e-25);
  EXPECT_LT(bending.energy(sheet.rest()).value(), 1e-25);
}

// thin_cases.json, uniaxial-large: nominal stresses at a stretch of 1.3 with the width held.
TEST(ShellEnergy, StressOfAStretchedMembrane) {
  for (const auto& [law, stress] : {std::pair{ElasticModel::st_venant_kirchhoff, 448500.0},
                                    std::pair{ElasticModel::neo_hookean, 265384.61538461538}}) {
    Sheet sheet = make_square(3, SheetPattern::shuffled);
    ShellMaterial material;
    material.law = law;
    material.bending = BendingModel::none;
    material.youngs_modulus = 1e6;
    material.poisson_ratio = 0.0;
    material.thickness = 0.01;
    build(material, sheet);
    MembranePotential potential(shared(sheet));
    VecX x = sheet.rest();
    for (Eigen::Index v = 0; v < std::ssize(sheet.vertices); ++v) x[3 * v] *= 1.3;
    VecX gradient = VecX::Zero(x.size());
    potential.add_gradient(x, 1.0, gradient);
    double force = 0.0;
    for (std::size_t v = 0; v < sheet.vertices.size(); ++v) {
      if (sheet.vertices[v][0] == 1.0) force += gradient[3 * static_cast<Eigen::Index>(v)];
    }
    EXPECT_NEAR(force / 0.01, stress, 1e-9 * stress);
  }
}

// A beam that bends in its own plane. Triangles of a grid alone have 3.5 / n^2 too much energy, with one diagonal in
// all cells and with alternating ones; smoothed along edges 0.8 / n^2 and 1.8 / n^2.
TEST(ShellEnergy, ASheetBendsInItsPlaneAsABeam) {
  const double curvature = 1e-4;
  for (const int cells : {4, 8, 16}) {
    for (const auto& [pattern, factor] : {std::pair{SheetPattern::right, 0.9}, std::pair{SheetPattern::crossed, 0.4},
                                          std::pair{SheetPattern::union_jack, 1.9}}) {
      Sheet sheet = make_square(cells, pattern);
      ShellMaterial material;
      material.bending = BendingModel::none;
      material.youngs_modulus = 1e6;
      material.poisson_ratio = 0.0;
      material.thickness = 0.01;
      build(material, sheet);
      VecX x = sheet.rest();
      for (std::size_t v = 0; v < sheet.vertices.size(); ++v) {
        const double along = sheet.vertices[v][0], across = sheet.vertices[v][1] - 0.5;
        x.segment<2>(3 * static_cast<Eigen::Index>(v)) += curvature * Vec<2>(-along * across, 0.5 * along * along);
      }
      // E I curvature^2 / 2 with I = t / 12
      const double exact = 0.5 * 1e6 * 0.01 / 12.0 * curvature * curvature;
      EXPECT_NEAR(MembranePotential(shared(sheet)).energy(x).value(), exact, factor / (cells * cells) * exact) << cells;
    }
  }
}

// Cells across a fold unfold it: a sheet that is only folded is not strained, whichever way its triangles point.
TEST(ShellEnergy, AFoldDoesNotStrainTheMembrane) {
  for (const bool is_turned : {false, true}) {
    Sheet sheet;
    sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {0.3, 1, 0}, {0.6, -0.8, 0}};
    sheet.triangles = {{0, 1, 2}, is_turned ? std::array{0, 1, 3} : std::array{1, 0, 3}};
    ShellMaterial material = material_of(ElasticModel::neo_hookean, BendingModel::none);
    build(material, sheet);
    VecX folded = sheet.rest();
    folded.segment<3>(9) = Vec<3>(0.6, -0.8 * std::cos(2.0), 0.8 * std::sin(2.0));
    MembranePotential potential(shared(sheet));
    EXPECT_LT(potential.energy(folded).value(), 1e-25);
    // Sheared along the fold, both triangles are strained alike.
    VecX sheared = folded;
    sheared[6] += 0.1;
    sheared[9] -= 0.08;
    const double cut = 0.1 * 0.1;
    const double mu = 1e3 / 2.6, area = 0.9;
    EXPECT_NEAR(potential.energy(sheared).value(), 0.5 * mu * cut * area * 0.05, 1e-12);
  }
}

/// Rolls a square of n x n right cells around the second axis: its columns turn by the curvature over n.
VecX rolled(const Sheet& sheet, int n, double curvature) {
  VecX x = sheet.rest();
  for (Eigen::Index j = 0; j <= n; ++j) {
    Vec<3> at(0.0, sheet.vertices[j * (n + 1)][1], 0.0);
    for (Eigen::Index i = 0; i <= n; ++i) {
      x.segment<3>(3 * (j * (n + 1) + i)) = at;
      const double angle = curvature * static_cast<double>(i) / n;
      at += Vec<3>(std::cos(angle), 0.0, std::sin(angle)) / n;
    }
  }
  return x;
}

TEST(ShellEnergy, StaysBentByWhatExceedsTheYieldCurvature) {
  const int n = 8;
  const double yield = 1.0, curvature = 2.5;
  for (const BendingModel bending : {BendingModel::hinges, BendingModel::slopes}) {
    Sheet sheet = make_square(n, SheetPattern::right);
    ShellMaterial material = material_of(ElasticModel::neo_hookean, bending);
    material.yield_curvature = yield;
    build(material, sheet);
    BendingPotential potential(shared(sheet));
    ASSERT_TRUE(potential.has_yield());
    const VecX bent = rolled(sheet, n, curvature);
    const double before = potential.energy(bent).value(), work = potential.yield_work(bent);
    std::vector<double> history(potential.history_size());
    potential.end_step(bent, history);
    potential.set_history(history);
    EXPECT_NEAR(potential.energy(bent).value(), before - work, 1e-12 * before);
    EXPECT_NEAR(potential.yield_work(bent), 0.0, 1e-12 * before);
    // The curvature of every triangle with a column inside is that of the roll, and what exceeds the yield stays.
    const double kept = curvature - yield;
    EXPECT_LT(potential.energy(rolled(sheet, n, kept)).value(), 1e-20 * before);
    expect_derivatives(potential, bent, 1e-4);
  }
}

// The limit is one of principal curvatures: it does not depend on how the triangles lie.
TEST(ShellEnergy, NoPrincipalCurvatureExceedsTheYieldAfterAStep) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> shift(-0.03, 0.03);
  for (const SheetPattern pattern : {SheetPattern::right, SheetPattern::crossed, SheetPattern::shuffled}) {
    Sheet sheet = make_square(5, pattern);
    ShellMaterial material = material_of(ElasticModel::neo_hookean, BendingModel::slopes);
    material.yield_curvature = 0.7;
    build(material, sheet);
    BendingPotential potential(shared(sheet));
    VecX x = sheet.mesh.x_start;
    for (double& coordinate : x) coordinate += shift(random);
    const double before = potential.energy(x).value();
    const double work = potential.yield_work(x);
    EXPECT_GT(work, 0.1 * before);
    std::vector<double> history(potential.history_size());
    potential.end_step(x, history);
    potential.set_history(history);
    double largest = 0.0;
    for (const ShellSample& sample : potential.samples(x)) {
      const Vec<3>& k = sample.strain;
      const double radius = std::hypot(0.5 * (k[0] - k[1]), 0.5 * k[2]), mean = 0.5 * (k[0] + k[1]);
      largest = std::max(largest, std::abs(mean) + radius);
    }
    EXPECT_NEAR(largest, 0.7, 1e-9);
    EXPECT_NEAR(potential.yield_work(x), 0.0, 1e-12 * before);
    EXPECT_NEAR(potential.energy(x).value(), before - work, 1e-10 * before);
  }
}

// A pattern of two panels that are apart, one of them turned over and larger than where it is worn.
TEST(ShellEnergy, APatternIsTheShapeAtRest) {
  Sheet sheet;
  sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, -1, 0.5}};
  sheet.triangles = {{0, 1, 2}, {1, 0, 3}};
  const std::vector<std::array<Vec<3>, 3>> pattern = {
      {Vec<3>(5, 5, 0), Vec<3>(7, 5, 0), Vec<3>(5, 7, 0)},
      {Vec<3>(-3, 0, 0), Vec<3>(-3, 1, 0), Vec<3>(-3 + std::sqrt(1.25), 0, 0)}};
  const std::vector<int> blocks = {0, 1, 2, 3};
  ShellMaterial material = material_of(ElasticModel::st_venant_kirchhoff, BendingModel::hinges);
  material.poisson_ratio = 0.0;
  add_shell({.triangles = sheet.triangles,
             .rest = sheet.vertices,
             .blocks = blocks,
             .first_slope_block = -1,
             .pattern = pattern,
             .is_flat_at_rest = false,
             .materials = {material}},
            sheet.mesh);
  sheet.mesh.x_start = sheet.rest();
  // The first panel is worn at half of its size: Green's strains are -3/8. The second fits: its sides of 1 and
  // sqrt(1.25) are at a right angle. The seam is flat at rest, and nothing is smoothed across it.
  EXPECT_DOUBLE_EQ(sheet.mesh.triangles[0].area, 2.0);
  const double energy = 2.0 * 0.05 * 0.5 * 1e3 * 2.0 * 0.375 * 0.375;
  EXPECT_NEAR(MembranePotential(shared(sheet)).energy(sheet.rest()).value(), energy, 1e-10 * energy);
  for (const ShellEdge& edge : sheet.mesh.edges) EXPECT_EQ(edge.angle, 0.0);
  EXPECT_GT(BendingPotential(shared(sheet)).energy(sheet.rest()).value(), 0.0);
}

TEST(ShellEnergy, NoTriangleLosesItsAreaOnAStep) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> shift(-2.0, 2.0);
  Sheet sheet = make_square(3, SheetPattern::shuffled);
  build(material_of(ElasticModel::neo_hookean, BendingModel::none), sheet);
  MembranePotential potential(shared(sheet));
  int num_limited = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const VecX x = sheet.rest();
    VecX dx = VecX::Zero(x.size());
    for (double& value : dx) value = shift(random);
    // Half of the trials stay in the plane, where triangles turn over.
    for (Eigen::Index i = 2; trial % 2 == 0 && i < dx.size(); i += 3) dx[i] = 0.0;
    const double alpha = potential.max_feasible_step(x, dx).alpha;
    num_limited += alpha < 1.0 ? 1 : 0;
    for (int i = 0; i <= 100; ++i) {
      const VecX at = x + alpha * i / 100.0 * dx;
      for (const ShellTriangle& triangle : sheet.mesh.triangles) {
        const auto node = [&](int k) -> Vec<3> {
          return at.segment<3>(3 * static_cast<Eigen::Index>(triangle.nodes[k]));
        };
        const double area = 0.5 * (node(1) - node(0)).cross(node(2) - node(0)).norm();
        ASSERT_GE(area, 0.19999 * triangle.area);
      }
    }
  }
  EXPECT_GT(num_limited, 100);
}

}  // namespace
}  // namespace clearance
