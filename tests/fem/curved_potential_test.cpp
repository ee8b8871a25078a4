// Elements of order 2 to 4: their derivatives, the fields that they represent exactly, and how fast errors fall.
#include "clearance/bodies/fem/elastic_potential.h"
#include "clearance/bodies/fem/inversion_barrier.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "clearance/bodies/fem/inversion_barrier.h"
#include "clearance/bodies/fem/mass.h"
#include "curved_fixtures.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using namespace test;

template <class Function>
void for_all_orders(const Function& check) {
  for (int order = 2; order <= max_order; ++order) {
    SCOPED_TRACE(::testing::Message() << "2D, order " << order);
    check(std::integral_constant<int, 2>(), order);
  }
  for (int order = 2; order <= max_order; ++order) {
    SCOPED_TRACE(::testing::Message() << "3D, order " << order);
    check(std::integral_constant<int, 3>(), order);
  }
}

/// Returns a grid of all four materials with some elements curved, and a deformation that inverts none.
template <int dim>
ElementMesh<dim> mixed_mesh(int order, std::mt19937_64& rng) {
  ElementMesh<dim> linear = make_grid<dim>(dim == 2 ? 2 : 1, 1.0, 0.05, rng);
  mix_materials(linear);
  ElementMesh<dim> mesh = raised<dim>(linear, order);
  // All elements at one node are curved.
  block<dim>(mesh.x_rest, mesh.nodes[num_lagrange_nodes(dim, 1)]) += Vec<dim>::Constant(0.03);
  return mesh;
}
template <int dim>
void check_derivatives(Potential& potential, const ElementMesh<dim>& mesh, const VecX& x,
                       double step = finite_difference_step) {
  const auto energy = [&](const VecX& y) { return potential.energy(y).value(); };
  const auto gradient = [&](const VecX& y) {
    VecX g = VecX::Zero(y.size());
    potential.add_gradient(y, 1.0, g);
    return g;
  };
  const VecX g = gradient(x);
  EXPECT_GT(g.norm(), 0.1);
  EXPECT_LT(relative_difference(g, finite_difference_gradient(energy, x, step)), 1e-6);

  BlockSparseMatrix exact = empty_matrix(mesh, potential.pattern()), projected = exact;
  VecX again = VecX::Zero(x.size());
  potential.add_exact_derivatives(x, 2.0, again, exact);
  EXPECT_LT(relative_difference(again, 2.0 * g), 1e-12);
  EXPECT_LT(relative_difference(to_dense(exact), 2.0 * finite_difference_jacobian(gradient, x, step)), 1e-5);
  potential.add_hessian(x, 1.0, projected);
  const MatX dense = to_dense(projected);
  EXPECT_EQ(dense, MatX(dense.transpose()));
  EXPECT_GE(Eigen::SelfAdjointEigenSolver<MatX>(dense).eigenvalues()[0], -1e-10 * dense.cwiseAbs().maxCoeff());
}

TEST(CurvedPotential, DerivativesMatchFiniteDifferences) {
  for_all_orders([](auto dim, int order) {
    std::mt19937_64 rng(static_cast<unsigned>(order));
    const ElementMesh<dim> mesh = mixed_mesh<dim>(order, rng);
    ElasticPotential<dim> potential(mesh);
    check_derivatives<dim>(potential, mesh, random_state<dim>(mesh, 0.1, rng));
  });
}

TEST(CurvedInversionBarrier, DerivativesMatchFiniteDifferences) {
  for_all_orders([](auto dim, int order) {
    std::mt19937_64 rng(static_cast<unsigned>(order));
    const ElementMesh<dim> mesh = mixed_mesh<dim>(order, rng);
    InversionBarrier<dim> barrier(mesh);
    EXPECT_EQ(barrier.energy(mesh.x_rest).value(), 0.0);
    // The elements are flat along one axis, to a volume of 5 % in the mean.
    VecX x = random_state<dim>(mesh, 0.01, rng);
    for (Eigen::Index i = 0; i < x.size(); i += dim) x[i] *= 0.05;
    ASSERT_LT(barrier.energy(x).value(), infinity);
    check_derivatives<dim>(barrier, mesh, x, 5e-7);
  });
}

// The energy is infinite before the volume vanishes at any point: a lattice of points let the volume of an edge fall to
// zero between two of them.
TEST(CurvedInversionBarrier, IsInfiniteBeforeAnElementIsInvertedAnywhere) {
  for_all_orders([](auto dim, int order) {
    std::mt19937_64 rng(static_cast<unsigned>(7 + order));
    std::normal_distribution<double> normal(0.0, 0.4);
    const ElementMesh<dim> mesh = mixed_mesh<dim>(order, rng);
    const ElasticPotential<dim> elastic(mesh);
    const InversionBarrier<dim> barrier(mesh);
    int num_inverted = 0, num_felt = 0;
    for (int trial = 0; trial < 20; ++trial) {
      const VecX motion = mesh.x_rest.unaryExpr([&](double) { return normal(rng); });
      double feasible = 0.0, inverted = infinity;
      for (double alpha = 0.0; alpha <= 1.0 && inverted == infinity; alpha += 1.0 / 256.0) {
        const VecX x = mesh.x_rest + alpha * motion;
        const double energy = barrier.energy(x).value();
        num_felt += energy > 0.0 && energy < infinity;
        (elastic.is_feasible(x) ? feasible : inverted) = alpha;
        EXPECT_TRUE(inverted == infinity || energy == infinity) << "order " << order << ", " << trial << ", " << alpha;
      }
      if (inverted == infinity) continue;
      ++num_inverted;
      while (inverted - feasible > 1e-9) {
        const double middle = 0.5 * (feasible + inverted);
        (elastic.is_feasible(mesh.x_rest + middle * motion) ? feasible : inverted) = middle;
      }
      EXPECT_GT(barrier.energy(mesh.x_rest + feasible * motion).value(), 0.0);
    }
    EXPECT_GE(num_inverted, 10);
    EXPECT_GE(num_felt, 10);
  });
}

TEST(CurvedPotential, APartHasTheDerivativesOfTheWhole) {
  for_all_orders([](auto dim, int order) {
    std::mt19937_64 rng(5);
    ElementMesh<dim> linear = make_grid<dim>(dim == 2 ? 6 : 3, 1.0, 0.05, rng);
    mix_materials(linear);
    const ElementMesh<dim> mesh = raised<dim>(linear, order);
    const VecX x = random_state<dim>(mesh, 0.05, rng);
    std::vector<char> part(x.size() / dim, 0);
    for (std::size_t b = 0; b < part.size(); ++b) {
      part[b] = block<dim>(mesh.x_rest, static_cast<int>(b)).maxCoeff() < 0.4 ? 1 : 0;
    }
    ElasticPotential<dim> whole(mesh), restricted(mesh);
    VecX warm_up = VecX::Zero(x.size());
    restricted.add_gradient(x, 1.0, warm_up);
    restricted.restrict_to(part);
    EXPECT_LT(restricted.elements().active_packs().size(), whole.elements().packs().size());
    VecX g_whole = VecX::Zero(x.size()), g_part = g_whole;
    BlockSparseMatrix h_whole = empty_matrix(mesh, whole.pattern()), h_part = h_whole;
    whole.add_derivatives(x, 1.0, g_whole, h_whole);
    restricted.add_derivatives(x, 1.0, g_part, h_part);
    const MatX of_whole = to_dense(h_whole), of_part = to_dense(h_part);
    for (std::size_t b = 0; b < part.size(); ++b) {
      if (!part[b]) continue;
      const int row = dim * static_cast<int>(b);
      EXPECT_EQ(g_part.segment(row, dim), g_whole.segment(row, dim));
      EXPECT_EQ(MatX(of_part.middleRows(row, dim)), MatX(of_whole.middleRows(row, dim)));
    }
  });
}

/// Rotations, and affine maps with the same stress everywhere: inner forces vanish.
TEST(CurvedPotential, RigidAndAffineMotionsAreExact) {
  for_all_orders([](auto dim, int order) {
    std::mt19937_64 rng(3);
    ElementMesh<dim> linear = make_grid<dim>(2, 0.5, 0.0, rng);
    constexpr int d = dim;
    const ElementMesh<dim> mesh = raised<dim>(linear, order, [](const Vec<d>& x) { return bent<d>(x, 0.1); });
    ElasticPotential<dim> potential(mesh);
    const auto forces_at = [&](const auto& map) {
      VecX x = mesh.x_rest, g = VecX::Zero(x.size());
      for (int b = 0; b < x.size() / dim; ++b) block<dim>(x, b) = (map * block<dim>(mesh.x_rest, b)).eval();
      potential.add_gradient(x, 1.0, g);
      return g;
    };
    Mat<dim> quarter = Mat<dim>::Identity(), stretch = Mat<dim>::Identity();
    quarter.template topLeftCorner<2, 2>() << 0.0, -1.0, 1.0, 0.0;
    stretch(0, 1) = 0.2;
    stretch(1, 1) = 1.1;
    const VecX stretched = forces_at(stretch);
    const double scale = stretched.cwiseAbs().maxCoeff();
    EXPECT_LT(forces_at(quarter).cwiseAbs().maxCoeff(), 1e-11 * scale);
    // The middle node of the grid has elements all around; straight elements integrate its forces exactly.
    const ElementMesh<dim> straight = raised<dim>(linear, order);
    ElasticPotential<dim> of_straight(straight);
    VecX x = straight.x_rest, g = VecX::Zero(x.size());
    for (int b = 0; b < x.size() / dim; ++b) block<dim>(x, b) = (stretch * block<dim>(straight.x_rest, b)).eval();
    of_straight.add_gradient(x, 1.0, g);
    const int middle = dim == 2 ? 4 : 13;
    EXPECT_LT(block<dim>(g, middle).norm(), 1e-11 * scale);
  });
}

/// Solves H dx = -g for free nodes by conjugate gradients.
template <int dim>
VecX newton_direction(const BlockSparseMatrix& h, const VecX& g, const VecX& is_free) {
  VecX dx = VecX::Zero(g.size()), residual = -is_free.cwiseProduct(g), direction = residual;
  double size = residual.squaredNorm();
  const double start = size;
  for (int i = 0; i < 4000 && size > 1e-26 * start; ++i) {
    const VecX product = is_free.cwiseProduct(h.multiply(direction));
    const double alpha = size / direction.dot(product);
    dx += alpha * direction;
    residual -= alpha * product;
    const double next = residual.squaredNorm();
    direction = residual + (next / size) * direction;
    size = next;
  }
  return dx;
}

/// Minimises the energy minus that of a body force with the boundary held, by Newton's method with exact Hessians.
template <int dim>
VecX solve(const ElementMesh<dim>& mesh, const VecX& load, const VecX& is_free, VecX x) {
  ElasticPotential<dim> potential(mesh);
  for (int iteration = 0; iteration < 30; ++iteration) {
    VecX g = -load;
    BlockSparseMatrix h = empty_matrix(mesh, potential.pattern());
    potential.add_exact_derivatives(x, 1.0, g, h);
    const VecX dx = newton_direction<dim>(h, g, is_free);
    x += dx;
    if (dx.cwiseAbs().maxCoeff() < 1e-13) break;
  }
  return x;
}

/// The exact solution: a smooth displacement that is no polynomial, and its gradient.
template <int dim>
struct Manufactured {
  static Vec<dim> displacement(const Vec<dim>& x) {
    Vec<dim> u;
    for (int i = 0; i < dim; ++i) u[i] = 0.08 * std::sin(1.5 * x[0] + 0.4 * i) * std::cos(1.2 * x[dim - 1] - 0.3 * i);
    return u;
  }
  static Mat<dim> gradient(const Vec<dim>& x) {
    Mat<dim> du = Mat<dim>::Zero();
    for (int i = 0; i < dim; ++i) {
      const double a = 1.5 * x[0] + 0.4 * i, b = 1.2 * x[dim - 1] - 0.3 * i;
      du(i, 0) += 0.08 * 1.5 * std::cos(a) * std::cos(b);
      du(i, dim - 1) -= 0.08 * 1.2 * std::sin(a) * std::sin(b);
    }
    return du;
  }
  /// Returns -div P(F) of a neo-Hookean material, by differences of the exact stress.
  static Vec<dim> force(const Vec<dim>& x, double mu, double lambda) {
    const auto stress = [&](const Vec<dim>& y) {
      const Mat<dim> f = Mat<dim>::Identity() + gradient(y);
      const Mat<dim> inverse = f.inverse().transpose();
      return Mat<dim>(mu * (f - inverse) + lambda * std::log(f.determinant()) * inverse);
    };
    constexpr double h = 1e-3;
    Vec<dim> divergence = Vec<dim>::Zero();
    for (int j = 0; j < dim; ++j) {
      const Vec<dim> e = h * Vec<dim>::Unit(j);
      // The difference is of sixth order.
      divergence += ((45.0 * (stress(x + e) - stress(x - e)) - 9.0 * (stress(x + 2.0 * e) - stress(x - 2.0 * e)) +
                      (stress(x + 3.0 * e) - stress(x - 3.0 * e))) /
                     (60.0 * h))
                        .col(j);
    }
    return -divergence;
  }
};

struct Errors {
  double l2 = 0.0, h1 = 0.0;
};

template <int dim>
Errors errors_of(int order, int cells, double bend) {
  std::mt19937_64 rng(1);
  const ElementMesh<dim> linear = make_grid<dim>(cells, 1.0 / cells, 0.0, rng);
  const ElementMesh<dim> mesh = raised<dim>(linear, order, [&](const Vec<dim>& x) { return bent<dim>(x, bend); });
  const MaterialParameters& material = mesh.materials[0];
  const std::vector<QuadraturePoint> points = conical_quadrature(dim, 2 * order + 4);
  const ShapeGradients<dim> gradients(order, points);
  std::vector<std::vector<double>> values(points.size(), std::vector<double>(mesh.num_nodes()));
  for (std::size_t q = 0; q < points.size(); ++q) lagrange_values(dim, order, points[q].at, values[q]);
  const auto for_each_point = [&](const auto& visit) {
    for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
      for (std::size_t q = 0; q < points.size(); ++q) {
        const Mat<dim> derivative = gradients.map_derivative(static_cast<int>(q), mesh.nodes_of(e), mesh.x_rest);
        Vec<dim> at = Vec<dim>::Zero();
        for (std::size_t a = 0; a < mesh.num_nodes(); ++a) {
          at += values[q][a] * block<dim>(mesh.x_rest, mesh.nodes_of(e)[a]);
        }
        const double volume = points[q].weight * derivative.determinant() / (dim == 2 ? 2.0 : 6.0);
        visit(e, q, at, derivative, volume);
      }
    }
  };
  VecX load = VecX::Zero(mesh.x_rest.size()), x = mesh.x_rest;
  for_each_point([&](std::size_t e, std::size_t q, const Vec<dim>& at, const Mat<dim>&, double volume) {
    const Vec<dim> force = volume * Manufactured<dim>::force(at, material.mu, material.lambda);
    for (std::size_t a = 0; a < mesh.num_nodes(); ++a) block<dim>(load, mesh.nodes_of(e)[a]) += values[q][a] * force;
  });
  // The grid is held all around.
  const ElementMesh<dim> flat = raised<dim>(linear, order);
  VecX is_free = VecX::Zero(x.size());
  for (int b = 0; b < x.size() / dim; ++b) {
    const Vec<dim> at = block<dim>(flat.x_rest, b);
    if (at.minCoeff() > 1e-9 && at.maxCoeff() < 1.0 - 1e-9) block<dim>(is_free, b).setOnes();
    block<dim>(x, b) += Manufactured<dim>::displacement(block<dim>(mesh.x_rest, b));
  }
  x = solve<dim>(mesh, load, is_free, x);
  Errors errors;
  for_each_point([&](std::size_t e, std::size_t q, const Vec<dim>& at, const Mat<dim>& derivative, double volume) {
    Vec<dim> u = -at;
    for (std::size_t a = 0; a < mesh.num_nodes(); ++a) u += values[q][a] * block<dim>(x, mesh.nodes_of(e)[a]);
    const Mat<dim> f = gradients.map_derivative(static_cast<int>(q), mesh.nodes_of(e), x) * derivative.inverse();
    errors.l2 += volume * (u - Manufactured<dim>::displacement(at)).squaredNorm();
    errors.h1 += volume * (f - Mat<dim>::Identity() - Manufactured<dim>::gradient(at)).squaredNorm();
  });
  return {std::sqrt(errors.l2), std::sqrt(errors.h1)};
}

template <int dim>
void check_orders(int order, int coarse, int fine, double bend) {
  SCOPED_TRACE(::testing::Message() << dim << "D, order " << order << ", bend " << bend);
  const Errors first = errors_of<dim>(order, coarse, bend), second = errors_of<dim>(order, fine, bend);
  const double by = std::log(static_cast<double>(fine) / coarse);
  const double l2 = std::log(first.l2 / second.l2) / by, h1 = std::log(first.h1 / second.h1) / by;
  printf("%dD P%d %s: L2 %.3g to %.3g, order %.2f; H1 %.3g to %.3g, order %.2f\n", dim, order,
         bend > 0.0 ? "curved" : "straight", first.l2, second.l2, l2, first.h1, second.h1, h1);
  EXPECT_GT(l2, order + 0.8);
  EXPECT_GT(h1, order - 0.2);
}

TEST(CurvedPotential, ErrorsOfManufacturedSolutionsFallWithTheirOrder) {
  for (const double bend : {0.0, 0.15}) {
    for (int order = 2; order <= max_order; ++order) check_orders<2>(order, 4, 6, bend);
    check_orders<3>(2, 2, 4, bend);
    check_orders<3>(3, 1, 2, bend);
    check_orders<3>(4, 2, 3, bend);
  }
}

/// Row sums are the masses that gravity acts on: exact for a uniform field. Energies are those of the fields.
TEST(CurvedMass, IsThatOfFields) {
  for_all_orders([](auto dim, int order) {
    std::mt19937_64 rng(2);
    const ElementMesh<dim> linear = make_grid<dim>(2, 0.5, 0.0, rng);
    const ElementMesh<dim> mesh = raised<dim>(linear, order);
    const ElementMass<dim> mass(mesh);
    VecX sums = VecX::Zero(mesh.x_rest.size() / dim), shares = sums;
    mass.add_row_sums(sums);
    mass.add_shares(shares);
    EXPECT_NEAR(sums.sum(), 1000.0, 1e-9);
    EXPECT_NEAR(shares.sum(), 1000.0, 1e-9);
    EXPECT_GT(shares.minCoeff(), 0.0);
    if (order == 2) {
      EXPECT_LT(sums.minCoeff(), dim == 3 ? -1.0 : 1e-9);
    }
    // With velocities x, the energy is dim times the integral of rho x^2 / 2 over the unit cube.
    EXPECT_NEAR(mass.energy(mesh.x_rest).value(), dim * 1000.0 / 6.0, 1e-9);
    VecX product = VecX::Zero(mesh.x_rest.size());
    mass.add_product(mesh.x_rest, 1.0, product);
    EXPECT_NEAR(0.5 * product.dot(mesh.x_rest), dim * 1000.0 / 6.0, 1e-9);
    ElementMass<dim> copy = mass;
    BlockSparseMatrix matrix = empty_matrix(mesh, mass.keys());
    copy.add_to(2.0, matrix);
    EXPECT_LT(relative_difference(matrix.multiply(mesh.x_rest), 2.0 * product), 1e-13);
  });
}

}  // namespace
}  // namespace clearance
