// Volumes (2D: areas) of curved cells by the tests' own quadrature, and properties of cells that fit together.
#pragma once

#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "clearance/geometry/lagrange.h"
#include "clearance/geometry/mesh.h"

namespace clearance::test {

/// Gauss-Legendre points and weights on [0, 1], exact up to the degree 2 n - 1.
inline std::vector<std::array<double, 2>> gauss(int n) {
  std::vector<std::array<double, 2>> points;
  for (int i = 0; i < n; ++i) {
    double x = std::cos(3.14159265358979323846 * (i + 0.75) / (n + 0.5)), slope = 1.0;
    for (int step = 0; step < 50; ++step) {
      double before = 0.0, value = 1.0;
      for (int k = 1; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
        before = value;
        value = next;
      }
      slope = n * (x * value - before) / (x * x - 1.0);
      x -= value / slope;
    }
    points.push_back({0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * slope * slope)});
  }
  return points;
}

inline std::vector<int> nodes_or_corners(const Mesh& mesh, std::size_t cell) {
  const auto nodes = mesh.nodes_of_cell(cell);
  if (!nodes.empty()) return {nodes.begin(), nodes.end()};
  if (mesh.dim == 2) return {mesh.triangles[cell].begin(), mesh.triangles[cell].end()};
  return {mesh.tets[cell].begin(), mesh.tets[cell].end()};
}

inline Vec<3> point_of_cell(const Mesh& mesh, std::size_t cell, const Barycentrics& at) {
  const std::vector<int> nodes = nodes_or_corners(mesh, cell);
  std::vector<double> values(nodes.size());
  lagrange_values(mesh.dim, mesh.order_of_cell(cell), at, values);
  Vec<3> x = Vec<3>::Zero();
  for (std::size_t a = 0; a < nodes.size(); ++a) x += values[a] * mesh.vertices[nodes[a]];
  return x;
}

/// Determinant of the derivative of the element's map.
inline double determinant_of_cell(const Mesh& mesh, std::size_t cell, const Barycentrics& at) {
  const std::vector<int> nodes = nodes_or_corners(mesh, cell);
  const std::size_t dim = mesh.dim;
  std::vector<double> gradients(nodes.size() * dim);
  lagrange_gradients(mesh.dim, mesh.order_of_cell(cell), at, gradients);
  Mat<3> derivative = Mat<3>::Identity();
  for (std::size_t k = 0; k < dim; ++k) {
    Vec<3> column = Vec<3>::Zero();
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      column += gradients[a * dim + k] * mesh.vertices[nodes[a]];
    }
    derivative.col(static_cast<int>(k)) = column;
  }
  return derivative.determinant();
}

/// Returns the signed volume. At order 4 the determinant has degree 9, and the collapsed coordinates add 2.
inline double volume_of_cell(const Mesh& mesh, std::size_t cell) {
  double volume = 0.0;
  const auto points = gauss(6);
  for (const auto& [u, wu] : points) {
    for (const auto& [v, wv] : points) {
      if (mesh.dim == 2) {
        volume += wu * wv * (1 - u) * determinant_of_cell(mesh, cell, {1 - u - (1 - u) * v, u, (1 - u) * v, 0.0});
        continue;
      }
      for (const auto& [w, ww] : points) {
        const double b = (1 - u) * v, c = (1 - u) * (1 - v) * w;
        volume +=
            wu * wv * ww * (1 - u) * (1 - u) * (1 - v) * determinant_of_cell(mesh, cell, {1 - u - b - c, u, b, c});
      }
    }
  }
  return volume;
}

inline double volume_of_cells(const Mesh& mesh) {
  double volume = 0.0;
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) volume += volume_of_cell(mesh, cell);
  return volume;
}

/// Checks that nodes on a face or edge that two cells share are the same vertices at the same places between the same
/// corners; returns the first difference in words. `num_shared` counts the nodes that were there twice.
inline std::string find_unshared_node(const Mesh& mesh, int* num_shared = nullptr) {
  using Key = std::vector<std::array<int, 2>>;  // corner vertices with their parts of the order, and that in front
  std::map<Key, int> numbers;
  std::map<int, Key> keys;
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
    const std::vector<int> nodes = nodes_or_corners(mesh, cell);
    const int order = mesh.order_of_cell(cell);
    const auto& indices = lagrange_nodes(mesh.dim, order);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      Key key;
      for (int i = 0; i <= mesh.dim; ++i) {
        if (indices[a][i] > 0) key.push_back({nodes[i], indices[a][i]});
      }
      if (key.size() == 1) key[0][1] = 0;
      std::sort(key.begin(), key.end());
      if (key.size() > 1) key.push_back({-1, order});
      const auto [known, is_new] = numbers.try_emplace(key, nodes[a]);
      if (num_shared != nullptr) *num_shared += !is_new;
      const auto [same, is_new_node] = keys.try_emplace(nodes[a], key);
      if (known->second != nodes[a] || same->second != key) {
        return "cell " + std::to_string(cell) + " node " + std::to_string(a) + " is vertex " +
               std::to_string(nodes[a]) + ", not " + std::to_string(known->second);
      }
    }
  }
  return {};
}

}  // namespace clearance::test
