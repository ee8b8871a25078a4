// Random deformations and small meshes for the tests of deformable bodies.
#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <random>

#include "clearance/bodies/fem/fem_body.h"
#include "clearance/math/predicates.h"
#include "support/random_matrix.h"

namespace clearance::test {

inline constexpr std::array all_models = {ElasticModel::neo_hookean, ElasticModel::fixed_corotational,
                                          ElasticModel::st_venant_kirchhoff, ElasticModel::linear_elasticity};

/// U diag(s) V^T with random rotations.
template <int dim>
Mat<dim> with_singular_values(const Vec<dim>& s, std::mt19937_64& rng) {
  return random_rotation<dim>(rng) * s.asDiagonal() * random_rotation<dim>(rng);
}

/// Returns singular values of the interesting deformations: moderate, extreme, equal, nearly equal, nearly flat.
template <int dim>
Vec<dim> random_stretches(int kind, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> moderate(0.3, 2.5), exponent(-3, 1.5), tiny(-1e-9, 1e-9);
  Vec<dim> s;
  for (int i = 0; i < dim; ++i) s[i] = moderate(rng);
  if (kind == 1) s.setConstant(s[0]);
  if (kind == 2) s = Vec<dim>::Ones();
  if (kind == 3) s[1] = s[0] + tiny(rng);
  if (kind == 4) s[dim - 1] = 1e-3 * s[0];
  if (kind == 5) s = s.unaryExpr([&](double) { return std::pow(10.0, exponent(rng)); });
  if (kind == 6) s = Vec<dim>::Ones() + s * 1e-7;
  return s;
}
inline constexpr int num_stretch_kinds = 7;

/// Returns a grid of unit squares (two triangles each) or cubes (six tetrahedra each), scaled by `size`, with nodes
/// moved randomly by up to `noise` of a cell.
template <int dim>
ElementMesh<dim> make_grid(int cells, double size, double noise, std::mt19937_64& rng) {
  ElementMesh<dim> mesh;
  const int n = cells + 1;
  std::uniform_real_distribution<double> uniform(-noise, noise);
  const int num_nodes = dim == 2 ? n * n : n * n * n;
  mesh.x_rest.resize(dim * num_nodes);
  for (int i = 0; i < num_nodes; ++i) {
    const std::array<int, 3> at = {i % n, (i / n) % n, i / (n * n)};
    for (int r = 0; r < dim; ++r) mesh.x_rest[dim * i + r] = size * (at[r] + uniform(rng));
  }
  const int num_cells = dim == 2 ? cells * cells : cells * cells * cells;
  const std::array<int, 3> stride = {1, n, n * n};
  for (int c = 0; c < num_cells; ++c) {
    const int corner = c % cells + n * ((c / cells) % cells) + n * n * (c / (cells * cells));
    // Make one simplex per order of the axes (Kuhn); odd orders swap two nodes to keep the volume positive.
    std::array<int, dim> axes;
    for (int r = 0; r < dim; ++r) axes[r] = r;
    do {
      std::array<int, dim + 1> nodes = {corner};
      for (int r = 0; r < dim; ++r) nodes[r + 1] = nodes[r] + stride[axes[r]];
      if (edge_matrix<dim>(mesh.x_rest, nodes).determinant() < 0) std::swap(nodes[0], nodes[1]);
      mesh.add(nodes, 0);
    } while (std::next_permutation(axes.begin(), axes.end()));
  }
  mesh.materials = {make_material(ElasticModel::neo_hookean, 1e4, 0.4, 1000.0)};
  return mesh;
}

/// Gives the four models to the elements in turn, with different stiffness, so that packs of every model are mixed.
template <int dim>
void mix_materials(ElementMesh<dim>& mesh, double damping = 0.0) {
  mesh.materials.clear();
  for (int m = 0; m < 4; ++m)
    mesh.materials.push_back(make_material(all_models[m], 100.0 * (m + 1), 0.3, 10.0, damping));
  for (std::size_t e = 0; e < mesh.num_elements(); ++e) mesh.material_of_element[e] = static_cast<int>(e * 7 % 4);
}

/// Returns the linear elements whose volume at x is not positive, by exact arithmetic, ascending.
template <int dim>
std::vector<int> find_inverted_elements(const ElementMesh<dim>& mesh, const VecX& x) {
  std::vector<int> inverted;
  for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
    const std::span<const int> n = mesh.nodes_of(e);
    const Vec<dim> a = block<dim>(x, n[0]), b = block<dim>(x, n[1]), c = block<dim>(x, n[2]);
    int sign = 0;
    if constexpr (dim == 2) {
      sign = orient2d(a, b, c);
    } else {
      sign = orient3d(a, b, c, block<dim>(x, n[3]));
    }
    if (sign <= 0) inverted.push_back(static_cast<int>(e));
  }
  return inverted;
}

/// Returns x_rest with every node moved by up to `amount` in every component, halved until no element is inverted.
template <int dim>
VecX random_state(const ElementMesh<dim>& mesh, double amount, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> uniform(-amount, amount);
  VecX offset = mesh.x_rest.unaryExpr([&](double) { return uniform(rng); });
  const ElasticPotential<dim> elastic(mesh);
  const auto is_valid = [&](const VecX& x) {
    return mesh.is_linear() ? find_inverted_elements(mesh, x).empty() : elastic.is_feasible(x);
  };
  while (!is_valid(mesh.x_rest + offset)) offset *= 0.5;
  return mesh.x_rest + offset;
}

/// Returns the whole symmetric matrix that the potential adds.
inline MatX to_dense(const BlockSparseMatrix& matrix) {
  MatX dense(matrix.num_rows(), matrix.num_rows());
  for (int j = 0; j < matrix.num_rows(); ++j) dense.col(j) = matrix.multiply(VecX::Unit(matrix.num_rows(), j));
  return dense;
}

template <int dim>
BlockSparseMatrix empty_matrix(const ElementMesh<dim>& mesh, const std::vector<BlockKey>& keys) {
  return BlockSparseMatrix(dim, static_cast<int>(mesh.x_rest.size()) / dim, keys);
}

}  // namespace clearance::test
