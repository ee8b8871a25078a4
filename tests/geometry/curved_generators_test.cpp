#include "clearance/geometry/curved_generators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>
#include <set>
#include <span>
#include <string>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/curved_volume.h"
#include "clearance/geometry/generators.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/refine.h"
#include "geometry/curved_cell_support.h"

namespace clearance {
namespace {

using std::numbers::pi;

/// A shape of a generator, finer with `cells`.
struct Shape {
  const char* name;
  double size, volume;  ///< [m], [m^dim] (2D: area)
  std::function<Mesh(int)> make;
  std::function<void(Mesh&, int)> curve;
  std::function<double(const Vec<3>&)> distance;  ///< to the surface
};

double distance_to_cylinder(const Vec<3>& x, double radius, double height) {
  const double to_cap = std::abs(std::abs(x[1]) - 0.5 * height), to_side = std::abs(std::hypot(x[0], x[2]) - radius);
  return std::min(to_cap, to_side);
}

std::vector<Shape> all_shapes() {
  return {
      {"sphere", 0.7, 4.0 / 3.0 * pi * 0.343, [](int n) { return make_sphere(0.7, n); },
       [](Mesh& mesh, int) { curve_sphere(mesh, 0.7); }, [](const Vec<3>& x) { return std::abs(x.norm() - 0.7); }},
      {"cylinder", 0.3, pi * 0.09 * 1.1, [](int n) { return make_cylinder(0.3, 1.1, n, n); },
       [](Mesh& mesh, int) { curve_cylinder(mesh, 0.3, 1.1); },
       [](const Vec<3>& x) { return distance_to_cylinder(x, 0.3, 1.1); }},
      {"torus", 1.2, 2.0 * pi * pi * 0.9 * 0.09, [](int n) { return make_torus(0.9, 0.3, 4 * n, n); },
       [](Mesh& mesh, int n) { curve_torus(mesh, 0.9, 0.3, 4 * n); },
       [](const Vec<3>& x) { return std::abs(std::hypot(std::hypot(x[0], x[2]) - 0.9, x[1]) - 0.3); }},
      {"disk", 0.4, pi * 0.16, [](int n) { return make_disk(0.4, n); }, [](Mesh& mesh, int) { curve_disk(mesh, 0.4); },
       [](const Vec<3>& x) { return std::abs(std::hypot(x[0], x[1]) - 0.4); }},
  };
}

Mesh curved(const Shape& shape, int cells, int order, int refinements = 0) {
  Mesh mesh = shape.make(cells);
  for (int i = 0; i < refinements; ++i) mesh = refine_uniformly(mesh);
  change_order(mesh, order);
  shape.curve(mesh, cells);
  return mesh;
}

std::set<int> boundary_nodes(const Mesh& mesh) {
  std::set<int> nodes;
  if (mesh.dim == 2) {
    for (const auto& edge : boundary_edges(mesh)) nodes.insert(edge.begin(), edge.end());
  } else {
    for (const auto& triangle : boundary_triangles(mesh)) nodes.insert(triangle.begin(), triangle.end());
  }
  return nodes;
}

template <int dim>
std::size_t count_invalid_of(const Mesh& mesh) {
  const CurvedVolume<dim> volume(mesh.order_of_cell(0));
  std::size_t num_invalid = 0;
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
    std::vector<double> x;
    for (const int v : mesh.nodes_of_cell(cell)) {
      for (int i = 0; i < dim; ++i) x.push_back(mesh.vertices[v][i]);
    }
    num_invalid += !volume.is_valid(x);
  }
  return num_invalid;
}
std::size_t count_invalid(const Mesh& mesh) {
  return mesh.dim == 2 ? count_invalid_of<2>(mesh) : count_invalid_of<3>(mesh);
}

/// Computes the same as volume_of_cells of the tests' support, with shape functions evaluated once for all elements.
double volume_of(const Mesh& mesh) {
  const int order = mesh.order_of_cell(0), dim = mesh.dim;
  const std::size_t size = num_lagrange_nodes(dim, order) * dim;
  std::vector<double> weights, gradients;
  const auto add = [&](double weight, const Barycentrics& at) {
    weights.push_back(weight);
    gradients.resize(gradients.size() + size);
    lagrange_gradients(dim, order, at, std::span(gradients).last(size));
  };
  const auto points = test::gauss((dim * (order - 1) + 4) / 2);
  for (const auto& [u, wu] : points) {
    for (const auto& [v, wv] : points) {
      if (dim == 2) add(wu * wv * (1 - u), {(1 - u) * (1 - v), u, (1 - u) * v, 0.0});
      for (const auto& [w, ww] : points) {
        if (dim == 2) break;
        const double b = (1 - u) * v, c = (1 - u) * (1 - v) * w;
        add(wu * wv * ww * (1 - u) * (1 - u) * (1 - v), {1 - u - b - c, u, b, c});
      }
    }
  }
  double volume = 0.0;
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
    const double* gradient = gradients.data();
    for (const double weight : weights) {
      Mat<3> derivative = Mat<3>::Identity();
      derivative.leftCols(dim).setZero();
      for (const int v : mesh.nodes_of_cell(cell)) {
        for (int k = 0; k < dim; ++k) derivative.col(k) += *gradient++ * mesh.vertices[v];
      }
      volume += weight * derivative.determinant();
    }
  }
  return volume;
}

double relative_error(const Shape& shape, const Mesh& mesh) {
  return std::abs(volume_of(mesh) / shape.volume - 1.0);
}

TEST(CurvedGenerators, NodesOfTheBoundaryLieOnTheExactShape) {
  for (const Shape& shape : all_shapes()) {
    for (const int cells : {1, 2, 3, 8}) {
      for (int order = 2; order <= 4; ++order) {
        const Mesh mesh = curved(shape, cells, order);
        double worst = 0.0;
        for (const int v : boundary_nodes(mesh)) {
          worst = std::max(worst, shape.distance(mesh.vertices[v]));
        }
        EXPECT_LE(worst, 1e-14 * shape.size) << shape.name << ", cells " << cells << ", order " << order;
      }
    }
  }
}

TEST(CurvedGenerators, AllElementsAreValid) {
  for (const Shape& shape : all_shapes()) {
    const int finest = shape.name == std::string("torus") ? 4 : 8;  // with four times as many around
    for (int cells = 1; cells <= finest; ++cells) {
      for (int order = 2; order <= 4; ++order) {
        const Mesh mesh = curved(shape, cells, order);
        EXPECT_EQ(count_invalid(mesh), 0u) << shape.name << ", cells " << cells << ", order " << order;
        EXPECT_EQ(test::find_unshared_node(mesh), "") << shape.name << ", cells " << cells << ", order " << order;
      }
    }
  }
}

// The shapes are thin and flat, with few long pieces around and few cells across.
TEST(CurvedGenerators, ElementsOfUnevenGridsAreValid) {
  for (int order = 2; order <= 4; ++order) {
    for (const int across : {1, 2, 5}) {
      for (const int along : {1, 3, 4, 5, 6, 7, 8}) {
        for (const double length : {0.01, 100.0}) {
          Mesh rod = make_cylinder(1.0, length, across, along);
          change_order(rod, order);
          curve_cylinder(rod, 1.0, length);
          EXPECT_EQ(count_invalid(rod), 0u) << order << ": " << across << ", " << along << ", " << length;
        }
        if (along < 4) continue;
        for (const double tube : {0.01, 0.5, 0.9}) {
          Mesh ring = make_torus(1.0, tube, along, across);
          change_order(ring, order);
          curve_torus(ring, 1.0, tube, along);
          EXPECT_EQ(count_invalid(ring), 0u) << order << ": " << across << ", " << along << ", " << tube;
        }
      }
    }
  }
}

TEST(CurvedGenerators, RefinedMeshesAreOnTheExactShapeToo) {
  for (const Shape& shape : all_shapes()) {
    for (const int cells : {1, 2}) {
      const Mesh mesh = curved(shape, cells, 2, 1);
      EXPECT_EQ(count_invalid(mesh), 0u) << shape.name;
      for (const int v : boundary_nodes(mesh)) {
        EXPECT_LE(shape.distance(mesh.vertices[v]), 1e-14 * shape.size) << shape.name;
      }
      EXPECT_LE(relative_error(shape, mesh), 0.2 * relative_error(shape, curved(shape, cells, 2))) << shape.name;
    }
  }
}

TEST(CurvedGenerators, LinearMeshesAndVerticesOfGeneratorsStayAsTheyAre) {
  for (const Shape& shape : all_shapes()) {
    const Mesh linear = shape.make(3);
    Mesh mesh = linear;
    shape.curve(mesh, 3);
    EXPECT_EQ(mesh.vertices, linear.vertices) << shape.name;
    mesh = curved(shape, 3, 3);
    EXPECT_TRUE(std::equal(linear.vertices.begin(), linear.vertices.end(), mesh.vertices.begin())) << shape.name;
  }
}

TEST(CurvedGenerators, CapsOfCylindersStayPlaneWithRoundRims) {
  for (int order = 2; order <= 4; ++order) {
    Mesh mesh = make_cylinder(0.3, 1.1, 2, 3);
    change_order(mesh, order);
    curve_cylinder(mesh, 0.3, 1.1);
    int num_on_rim = 0, num_on_caps = 0;
    for (const int v : boundary_nodes(mesh)) {
      const Vec<3>& x = mesh.vertices[v];
      if (std::abs(std::abs(x[1]) - 0.55) > 1e-9) continue;
      EXPECT_NEAR(std::abs(x[1]), 0.55, 1e-15);
      const double distance = std::hypot(x[0], x[2]);
      EXPECT_LE(distance, 0.3 * (1.0 + 1e-14));
      num_on_rim += std::abs(distance - 0.3) <= 3e-15;
      ++num_on_caps;
    }
    // Two caps of 24 triangles with 12 sides on the rim.
    EXPECT_EQ(num_on_rim, 2 * 12 * order);
    EXPECT_EQ(num_on_caps, 2 * (12 * order * order + 6 * order + 1));
  }
}

TEST(CurvedGenerators, NodesMoveBySquaresOfTheSize) {
  for (const Shape& shape : all_shapes()) {
    for (int order = 2; order <= 4; ++order) {
      double before = 0.0;
      for (const int cells : {2, 4, 8}) {
        Mesh straight = shape.make(cells);
        change_order(straight, order);
        Mesh mesh = straight;
        shape.curve(mesh, cells);
        double largest = 0.0;
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
          largest = std::max(largest, (mesh.vertices[v] - straight.vertices[v]).norm());
        }
        if (before > 0.0) {
          EXPECT_LE(largest, 0.3 * before) << shape.name << ", " << order << ", " << cells;
        }
        before = largest;
      }
    }
  }
}

TEST(CurvedGenerators, VolumesConvergeFasterThanTheOrder) {
  for (const Shape& shape : all_shapes()) {
    for (int order = 2; order <= 4; ++order) {
      std::vector<double> errors;
      for (const int cells : {1, 2, 4}) errors.push_back(relative_error(shape, curved(shape, cells, order)));
      std::printf("%-8s order %d: %.2e %.2e %.2e\n", shape.name, order, errors[0], errors[1], errors[2]);
      EXPECT_GE(std::log2(errors[1] / errors[2]), order + 0.8) << shape.name << ", order " << order;
      EXPECT_LE(errors[2], 1e-3) << shape.name << ", order " << order;
    }
  }
}

}  // namespace
}  // namespace clearance
