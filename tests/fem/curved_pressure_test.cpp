// The pressure on faces of elements of order 2 to 4: derivatives, known volumes and forces, agreement with flat faces.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "clearance/bodies/fem/pressure_potential.h"
#include "curved_fixtures.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using namespace test;

template <class Function>
void for_all_orders(const Function& check) {
  for (int order = 2; order <= max_order; ++order) {
    SCOPED_TRACE(::testing::Message() << "order " << order);
    check(std::integral_constant<int, 2>(), order);
    check(std::integral_constant<int, 3>(), order);
  }
}

/// A unit box of straight elements, with the faces of its boundary by corners.
template <int dim>
struct Box {
  explicit Box(int order, int cells = 2) {
    std::mt19937_64 rng(1);
    const ElementMesh<dim> linear = make_grid<dim>(cells, 1.0 / cells, 0.0, rng);
    mesh.dim = dim;
    for (int v = 0; v < linear.x_rest.size() / dim; ++v) {
      Vec<3> x = Vec<3>::Zero();
      x.head<dim>() = block<dim>(linear.x_rest, v);
      mesh.vertices.push_back(x);
    }
    const auto add_faces = [&](const auto& boundary) {
      for (const auto& face : boundary) {
        std::array<int, 3> corners = {-1, -1, -1};
        std::copy(face.begin(), face.end(), corners.begin());
        faces.push_back(corners);
      }
    };
    for (std::size_t e = 0; e < linear.num_elements(); ++e) {
      std::copy_n(linear.nodes_of(e).begin(), dim + 1, cells_of<dim>(mesh).emplace_back().begin());
    }
    if constexpr (dim == 3) {
      add_faces(boundary_triangles(mesh.tets));
    } else {
      add_faces(boundary_edges(mesh.triangles));
    }
    change_order(mesh, order);
  }

  PressurePotential<dim> pressed(double pressure, std::size_t num_faces = 1000) const {
    std::vector<std::vector<int>> pressed_faces = nodes_of_curved_faces<dim>(mesh, faces);
    pressed_faces.resize(std::min(num_faces, faces.size()));
    return PressurePotential<dim>({{{}, [=](double, double) { return Result<double>(pressure); }, pressed_faces}});
  }
  VecX x() const {
    VecX x(dim * std::ssize(mesh.vertices));
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
      block<dim>(x, static_cast<int>(v)) = mesh.vertices[v].template head<dim>();
    }
    return x;
  }
  VecX bent_by(double amount) const {
    VecX x = this->x();
    for (int b = 0; b < x.size() / dim; ++b) block<dim>(x, b) = bent<dim>(block<dim>(x, b), amount);
    return x;
  }
  VecX random_state(std::mt19937_64& rng) const {
    std::uniform_real_distribution<double> uniform(-0.1, 0.1);
    return x().unaryExpr([&](double value) { return value + uniform(rng); });
  }
  int num_blocks() const { return static_cast<int>(mesh.vertices.size()); }

  Mesh mesh;
  std::vector<std::array<int, 3>> faces;
};

template <int dim>
VecX gradient_of(PressurePotential<dim>& potential, const VecX& x) {
  VecX gradient = VecX::Zero(x.size());
  potential.add_gradient(x, 1.0, gradient);
  return gradient;
}

/// [N m] about the origin.
Vec<3> moment(const Vec<3>& x, const Vec<3>& force) {
  return x.cross(force);
}
double moment(const Vec<2>& x, const Vec<2>& force) {
  return x[0] * force[1] - x[1] * force[0];
}

TEST(CurvedPressure, OnABentBoxIsTimesItsVolume) {
  constexpr double a = 0.2, pressure = 3.0;
  double largest = 0.0;
  for_all_orders([&](auto dim, int order) {
    const Box<dim> box(order);
    PressurePotential<dim> potential = box.pressed(pressure);
    ASSERT_TRUE(potential.begin_step(box.x(), 0.1, 0.1));
    EXPECT_EQ(potential.energy(box.x()).value(), 0.0);
    // The volume is the integral of the determinant of bent(): 1 + a x1 - 2 a^2 x1 (1 - 2 x0) in the plane, and 1 - a^2
    // x0 x2 - 2 a^2 x1 (1 - 2 x0) + 2 a^3 x1^2 x2 in space.
    const double volume = dim == 2 ? 1.0 + a / 2.0 : 1.0 - a * a / 4.0 + a * a * a / 3.0;
    const VecX x = box.bent_by(a);
    const auto error = [&] { return std::abs(potential.energy(x).value() - pressure * (volume - 1.0)); };
    largest = std::max(largest, error());
    // Another reference on the way changes nothing.
    const VecX direct = gradient_of(potential, x);
    std::mt19937_64 rng(2);
    EXPECT_TRUE(potential.refer_to(box.random_state(rng)));
    largest = std::max(largest, error());
    EXPECT_LT((gradient_of(potential, x) - direct).cwiseAbs().maxCoeff(), 1e-14);
  });
  printf("largest error of the energy of a bent box: %.3g\n", largest);
  EXPECT_LT(largest, 1e-14);
}

TEST(CurvedPressure, OnAClosedSurfaceHasNeitherForceNorTorque) {
  double largest = 0.0;
  for_all_orders([&](auto dim, int order) {
    std::mt19937_64 rng(3);
    const Box<dim> box(order);
    PressurePotential<dim> potential = box.pressed(2.0);
    const VecX x = box.random_state(rng);
    for (const VecX& reference : {box.bent_by(0.2), x}) {
      ASSERT_TRUE(potential.begin_step(reference, 0.1, 0.1));
      const VecX g = gradient_of(potential, x);
      EXPECT_GT(g.cwiseAbs().maxCoeff(), 0.01);
      Vec<dim> force = Vec<dim>::Zero();
      auto torque = moment(force, force);
      for (int b = 0; b < box.num_blocks(); ++b) {
        force += block<dim>(g, b);
        torque += moment(Vec<dim>(block<dim>(x, b)), Vec<dim>(block<dim>(g, b)));
      }
      largest = std::max(largest, force.norm());
      if constexpr (dim == 3) {
        largest = std::max(largest, torque.norm());
      } else {
        largest = std::max(largest, std::abs(torque));
      }
    }
  });
  printf("largest total force and torque: %.3g\n", largest);
  EXPECT_LT(largest, 1e-13);
}

/// At the reference the force is the integral of p n times the shape functions. On a flat face with its nodes in equal
/// parts of the sides, this is p n A times the integrals of Lagrange functions.
TEST(CurvedPressure, AtItsReferencePushesAgainstTheOutside) {
  for_all_orders([](auto dim, int order) {
    const Box<dim> box(order, 1);
    PressurePotential<dim> potential = box.pressed(2.0, 1);
    const VecX x = 0.5 * box.x();
    ASSERT_TRUE(potential.begin_step(box.x(), 0.1, 0.1));
    potential.refer_to(x);
    const VecX g = gradient_of(potential, x);
    const std::array<int, 3>& face = box.faces[0];
    Vec<dim> area_normal;
    if constexpr (dim == 2) {
      const Vec<2> side = block<2>(x, face[1]) - block<2>(x, face[0]);
      area_normal = Vec<2>(side[1], -side[0]);
    } else {
      const Vec<3> e1 = block<3>(x, face[1]) - block<3>(x, face[0]), e2 = block<3>(x, face[2]) - block<3>(x, face[0]);
      area_normal = 0.5 * e1.cross(e2);
    }
    // Weights of a corner, and of the node next to the first corner on the first side.
    const std::vector<int> nodes = nodes_of_curved_faces<dim>(box.mesh, box.faces)[0];
    constexpr std::array<std::array<double, 2>, 3> of_edges = {
        {{1.0 / 6.0, 2.0 / 3.0}, {0.125, 0.375}, {7.0 / 90.0, 16.0 / 45.0}}};
    constexpr std::array<std::array<double, 2>, 3> of_triangles = {
        {{0.0, 1.0 / 3.0}, {1.0 / 30.0, 3.0 / 40.0}, {0.0, 4.0 / 45.0}}};
    const auto& expected = (dim == 2 ? of_edges : of_triangles)[order - 2];
    for (std::size_t k = 0; k < dim; ++k) {
      EXPECT_EQ(nodes[k], face[k]);
      EXPECT_LT((block<dim>(g, nodes[k]) - 2.0 * expected[0] * area_normal).cwiseAbs().maxCoeff(), 1e-15);
    }
    EXPECT_LT((block<dim>(g, nodes[dim]) - 2.0 * expected[1] * area_normal).cwiseAbs().maxCoeff(), 1e-15);
    Vec<dim> total = Vec<dim>::Zero();
    for (const int node : nodes) total += block<dim>(g, node);
    EXPECT_LT((total - 2.0 * area_normal).cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_LT(std::abs(g.sum() - 2.0 * area_normal.sum()), 1e-14);
  });
}

/// Straight faces that stay straight agree with flat ones in volume, in the work on such motions and in the quadratic
/// form of the Hessian.
TEST(CurvedPressure, OfRaisedFacesIsThatOfFlatOnesInTheirMotions) {
  double largest = 0.0;
  for_all_orders([&](auto dim, int order) {
    std::mt19937_64 rng(5);
    const Box<dim> straight(1), box(order);
    // Positions of all nodes from those of the corners, which have the same numbers in both.
    const auto raise = [&](const VecX& corners) {
      Mesh mesh = straight.mesh;
      for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        mesh.vertices[v].template head<dim>() = block<dim>(corners, static_cast<int>(v));
      }
      Box<dim> raised(order);
      change_order(mesh, order);
      raised.mesh = mesh;
      return raised.x();
    };
    constexpr std::size_t num_faces = 3;
    PressureLoad<dim> flat({}, [](double, double) { return Result<double>(1.5); });
    for (std::size_t f = 0; f < num_faces; ++f) {
      std::array<int, dim>& corners = flat.faces.emplace_back();
      std::copy_n(straight.faces[f].begin(), dim, corners.begin());
    }
    PressurePotential<dim> twin({flat}), potential = box.pressed(1.5, num_faces);
    const VecX reference = straight.random_state(rng), x = straight.random_state(rng);
    const VecX along = straight.random_state(rng) - x, at = raise(x), raised_along = raise(VecX(x + along)) - at;
    ASSERT_TRUE(twin.begin_step(reference, 0.1, 0.1));
    ASSERT_TRUE(potential.begin_step(raise(reference), 0.1, 0.1));
    BlockSparseMatrix of_twin(dim, straight.num_blocks(), twin.pattern());
    BlockSparseMatrix of_curved(dim, box.num_blocks(), potential.pattern());
    VecX g_twin = VecX::Zero(x.size()), g = VecX::Zero(at.size());
    twin.add_exact_derivatives(x, 1.0, g_twin, of_twin);
    potential.add_exact_derivatives(at, 1.0, g, of_curved);
    largest =
        std::max({largest, std::abs(potential.energy(at).value() - twin.energy(x).value()),
                  std::abs(g.dot(raised_along) - g_twin.dot(along)),
                  std::abs(raised_along.dot(of_curved.multiply(raised_along)) - along.dot(of_twin.multiply(along)))});
    EXPECT_GT(std::abs(twin.energy(x).value()), 1e-4);
    EXPECT_GT(std::abs(g_twin.dot(along)), 1e-4);
    EXPECT_GT(std::abs(along.dot(of_twin.multiply(along))), 1e-5);
  });
  printf("largest difference from flat faces: %.3g\n", largest);
  EXPECT_LT(largest, 1e-15);
}

/// The surface is open, and its faces have two orders.
TEST(CurvedPressure, DerivativesMatchFiniteDifferences) {
  for_all_orders([](auto dim, int order) {
    std::mt19937_64 rng(6);
    const Box<dim> box(order, 1);
    PressureLoad<dim> load(
        {}, [](double, double) { return Result<double>(-1.5); }, nodes_of_curved_faces<dim>(box.mesh, box.faces));
    load.curved_faces.resize(dim);
    std::copy_n(box.faces.back().begin(), dim, load.faces.emplace_back().begin());
    PressurePotential<dim> potential({load});
    const VecX reference = box.random_state(rng), x = box.random_state(rng);
    ASSERT_TRUE(potential.begin_step(reference, 0.1, 0.1));
    const auto energy = [&](const VecX& at) { return potential.energy(at).value(); };
    const auto gradient = [&](const VecX& at) { return gradient_of(potential, at); };
    const VecX g = gradient(x);
    EXPECT_GT(g.norm(), 0.1);
    EXPECT_LT(relative_difference(g, finite_difference_gradient(energy, x)), 1e-6);
    BlockSparseMatrix exact(dim, box.num_blocks(), potential.pattern()), projected = exact;
    VecX twice = VecX::Zero(x.size());
    potential.add_exact_derivatives(x, 2.0, twice, exact);
    EXPECT_EQ(twice, VecX(2.0 * g));
    EXPECT_LT(relative_difference(to_dense(exact), 2.0 * finite_difference_jacobian(gradient, x)), 1e-6);
    potential.add_hessian(x, 1.0, projected);
    const auto eigenvalues = Eigen::SelfAdjointEigenSolver<MatX>(to_dense(projected)).eigenvalues();
    EXPECT_GT(eigenvalues[0], -1e-14);
    EXPECT_GT(eigenvalues[x.size() - 1], 0.1);
  });
}

TEST(CurvedPressure, FindsTheNodesOfFacesByTheirElements) {
  for_all_orders([](auto dim, int order) {
    const Box<dim> box(order), linear(1);
    const auto nodes_of_faces = nodes_of_curved_faces<dim>(box.mesh, box.faces);
    for (std::size_t f = 0; f < box.faces.size(); ++f) {
      const std::vector<int>& nodes = nodes_of_faces[f];
      ASSERT_EQ(nodes.size(), num_lagrange_nodes(dim - 1, order));
      const auto at = [&](int v) { return box.mesh.vertices[v]; };
      // The node after the corners lies next to the first one on the way to the second.
      const Vec<3> expected = at(box.faces[f][0]) + (at(box.faces[f][1]) - at(box.faces[f][0])) / order;
      EXPECT_LT((at(nodes[dim]) - expected).norm(), 1e-15);
    }
    for (const std::vector<int>& nodes : nodes_of_curved_faces<dim>(linear.mesh, linear.faces)) {
      EXPECT_TRUE(nodes.empty());
    }
  });
}

}  // namespace
}  // namespace clearance
