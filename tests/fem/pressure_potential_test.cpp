// The pressure on a surface: derivatives, closed and open surfaces, references.
#include "clearance/bodies/fem/pressure_potential.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "fem_fixtures.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using namespace test;

/// Returns `count` faces of the boundary of a simplex, with the outside as in boundary_triangles and boundary_edges.
template <int dim>
std::vector<std::array<int, dim>> simplex_faces(std::size_t count) {
  std::vector<std::array<int, dim>> faces;
  if constexpr (dim == 2) {
    faces = {{0, 1}, {1, 2}, {2, 0}};
  } else {
    faces = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  }
  faces.resize(count);
  return faces;
}

template <int dim>
VecX simplex(std::mt19937_64& rng) {
  std::uniform_real_distribution<double> uniform(-0.2, 0.2);
  VecX x = VecX::Zero(dim * (dim + 1));
  for (int i = 0; i < dim; ++i) x[dim * (i + 1) + i] = 1.0;
  for (double& value : x) value += uniform(rng);
  return x;
}

template <int dim>
double volume(const VecX& x) {
  Mat<dim> edges;
  for (int i = 0; i < dim; ++i) edges.col(i) = block<dim>(x, i + 1) - block<dim>(x, 0);
  return edges.determinant() / (dim == 2 ? 2.0 : 6.0);
}

template <int dim>
PressurePotential<dim> pressed(std::size_t num_faces, double pressure) {
  return PressurePotential<dim>(
      {{simplex_faces<dim>(num_faces), [=](double, double) { return Result<double>(pressure); }}});
}

template <int dim>
void check_closed_surface() {
  std::mt19937_64 rng(7);
  const VecX x0 = simplex<dim>(rng), x1 = simplex<dim>(rng), x2 = simplex<dim>(rng);
  PressurePotential<dim> potential = pressed<dim>(dim + 1, 3.0);
  ASSERT_TRUE(potential.begin_step(x0, 0.1, 0.1));
  EXPECT_EQ(potential.energy(x0).value(), 0.0);
  EXPECT_NEAR(potential.energy(x2).value(), 3.0 * (volume<dim>(x2) - volume<dim>(x0)), 1e-14);
  VecX direct = VecX::Zero(x0.size());
  potential.add_gradient(x2, 1.0, direct);
  // Another reference on the way changes nothing.
  EXPECT_TRUE(potential.refer_to(x1));
  EXPECT_FALSE(potential.refer_to(x1));
  EXPECT_NEAR(potential.energy(x2).value(), 3.0 * (volume<dim>(x2) - volume<dim>(x0)), 1e-14);
  VecX by_x1 = VecX::Zero(x0.size());
  potential.add_gradient(x2, 1.0, by_x1);
  EXPECT_LT((direct - by_x1).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Pressure, OnAClosedSurfaceIsTimesItsVolume) {
  check_closed_surface<2>();
  check_closed_surface<3>();
}

template <int dim>
void check_force_at_reference() {
  std::mt19937_64 rng(8);
  const VecX x0 = simplex<dim>(rng), x = simplex<dim>(rng);
  PressurePotential<dim> potential = pressed<dim>(1, 2.0);
  ASSERT_TRUE(potential.begin_step(x0, 0.1, 0.1));
  potential.refer_to(x);
  VecX gradient = VecX::Zero(x.size());
  potential.add_gradient(x, 1.0, gradient);
  // -p n A, in equal parts on the corners.
  const std::array<int, dim> face = simplex_faces<dim>(1)[0];
  Vec<dim> area_normal;
  if constexpr (dim == 2) {
    const Vec<2> edge = block<2>(x, face[1]) - block<2>(x, face[0]);
    area_normal = Vec<2>(edge[1], -edge[0]);
  } else {
    area_normal =
        0.5 * (block<3>(x, face[1]) - block<3>(x, face[0])).cross(block<3>(x, face[2]) - block<3>(x, face[0]));
  }
  for (int corner : face) {
    EXPECT_LT((block<dim>(gradient, corner) - 2.0 * area_normal / dim).cwiseAbs().maxCoeff(), 1e-15);
    block<dim>(gradient, corner).setZero();
  }
  EXPECT_TRUE(gradient.isZero(0.0));
}

TEST(Pressure, AtItsReferencePushesAgainstTheOutside) {
  check_force_at_reference<2>();
  check_force_at_reference<3>();
}

template <int dim>
void check_derivatives() {
  std::mt19937_64 rng(9);
  const VecX x0 = simplex<dim>(rng), x = simplex<dim>(rng);
  PressurePotential<dim> potential = pressed<dim>(2, -1.5);
  ASSERT_TRUE(potential.begin_step(x0, 0.1, 0.1));
  const auto energy = [&](const VecX& at) { return potential.energy(at).value(); };
  const auto gradient = [&](const VecX& at) {
    VecX g = VecX::Zero(at.size());
    potential.add_gradient(at, 1.0, g);
    return g;
  };
  BlockSparseMatrix exact(dim, dim + 1, potential.pattern()), projected(dim, dim + 1, potential.pattern());
  VecX ignored = VecX::Zero(x.size());
  potential.add_exact_derivatives(x, 1.0, ignored, exact);
  potential.add_derivatives(x, 1.0, ignored, projected);
  const double step = 1e-5;
  for (int i = 0; i < x.size(); ++i) {
    const VecX e = step * VecX::Unit(x.size(), i);
    EXPECT_NEAR((energy(x + e) - energy(x - e)) / (2 * step), gradient(x)[i], 1e-9);
    const VecX column = (gradient(x + e) - gradient(x - e)) / (2 * step);
    EXPECT_LT((column - to_dense(exact).col(i)).cwiseAbs().maxCoeff(), 1e-9);
  }
  const auto eigenvalues = Eigen::SelfAdjointEigenSolver<MatX>(to_dense(projected)).eigenvalues();
  EXPECT_GT(eigenvalues[0], -1e-14);
  EXPECT_GT(eigenvalues[x.size() - 1], 0.1);
}

TEST(Pressure, DerivativesAreThoseOfFiniteDifferences) {
  check_derivatives<2>();
  check_derivatives<3>();
}

TEST(Pressure, ThatIsUndefinedSaysSoWhenTheStepBegins) {
  PressurePotential<2> potential({{simplex_faces<2>(1), [](double, double) -> Result<double> {
                                     return Issue{"", "here", "", "no value"};
                                   }}});
  EXPECT_FALSE(potential.begin_step(VecX::Zero(6), 0.1, 0.1));
  EXPECT_EQ(potential.energy(VecX::Ones(6)).value(), 0.0);
}

}  // namespace
}  // namespace clearance
