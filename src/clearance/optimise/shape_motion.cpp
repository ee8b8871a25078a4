#include "clearance/optimise/shape_motion.h"

#include <Eigen/LU>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "clearance/geometry/volume_polynomial.h"

namespace clearance::optimise {
namespace {

using Index = Eigen::Index;
using Matrix = Eigen::SparseMatrix<double>;
using Factor = Eigen::SimplicialLDLT<Matrix>;
using Triplets = std::vector<Eigen::Triplet<double>>;

/// Vertices that take part in equations, with their numbers there; -1: others.
struct Numbers {
  explicit Numbers(int num_nodes) : of(static_cast<std::size_t>(num_nodes), -1) {}
  void add(int node) {
    if (of[static_cast<std::size_t>(node)] >= 0) return;
    of[static_cast<std::size_t>(node)] = static_cast<int>(nodes.size());
    nodes.push_back(node);
  }
  int operator[](int node) const { return of[static_cast<std::size_t>(node)]; }
  Index size() const { return static_cast<Index>(nodes.size()); }
  std::vector<int> of, nodes;
};

auto node_of(const VecX& x, int dim, int node) {
  return x.segment(static_cast<Index>(dim) * node, dim);
}

/// Returns the edges of a simplex from its first corner, in columns.
MatX edges_of(const StateCell& part, int simplex_dim, int dim, const VecX& x) {
  MatX edges(dim, simplex_dim);
  for (int i = 0; i < simplex_dim; ++i) {
    edges.col(i) = node_of(x, dim, part.nodes[static_cast<std::size_t>(i) + 1]) - node_of(x, dim, part.nodes[0]);
  }
  return edges;
}

/// Products of the gradients of the corners' shape functions, and the measure of a simplex, also one in a space of more
/// dimensions.
struct Stiffness {
  MatX products;  // [1/m^2]
  double measure = 0.0;
};

Stiffness stiffness_of(const MatX& edges) {
  const Index size = edges.cols();
  const MatX gram = edges.transpose() * edges, inverse = gram.inverse();
  double factorial = 1.0;
  for (Index i = 2; i <= size; ++i) factorial *= static_cast<double>(i);
  Stiffness stiffness{MatX(size + 1, size + 1), std::sqrt(std::max(gram.determinant(), 0.0)) / factorial};
  stiffness.products.bottomRightCorner(size, size) = inverse;
  stiffness.products.block(1, 0, size, 1) = -inverse.rowwise().sum();
  stiffness.products.block(0, 1, 1, size) = -inverse.colwise().sum();
  stiffness.products(0, 0) = inverse.sum();
  return stiffness;
}

/// Numbers of an axis as a column per axis, and back.
MatX columns_of(const VecX& x, const std::vector<int>& nodes, int dim) {
  MatX columns(static_cast<Index>(nodes.size()), dim);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    columns.row(static_cast<Index>(k)) = node_of(x, dim, nodes[k]).transpose();
  }
  return columns;
}

VecX interleaved(const MatX& columns) {
  VecX x(columns.size());
  for (Index k = 0; k < columns.rows(); ++k) x.segment(k * columns.cols(), columns.cols()) = columns.row(k).transpose();
  return x;
}

MatX deinterleaved(const VecX& x, int dim) {
  MatX columns(x.size() / dim, dim);
  for (Index k = 0; k < columns.rows(); ++k) columns.row(k) = x.segment(k * dim, dim).transpose();
  return columns;
}

}  // namespace

struct InsideMotion::Parts {
  explicit Parts(const StateMesh& mesh)
      : dim(mesh.dim), at_start(mesh.x_rest), inside(mesh.num_nodes()), moved(mesh.num_nodes()) {}
  int dim;
  VecX at_start;
  Numbers inside, moved;
  Matrix coupling;  // rows: inside, columns: moved
  Factor factor;
};

InsideMotion::InsideMotion(const StateMesh& mesh, const std::vector<int>& moved)
    : parts_(std::make_unique<Parts>(mesh)) {
  Parts& parts = *parts_;
  std::vector<char> is_of_boundary(static_cast<std::size_t>(mesh.num_nodes()), 0);
  for (const StateCell& face : mesh.faces) {
    for (int i = 0; i < mesh.dim; ++i) is_of_boundary[face.nodes[static_cast<std::size_t>(i)]] = 1;
  }
  for (const int node : moved) parts.moved.add(node);
  for (const StateCell& cell : mesh.cells) {
    for (int i = 0; i <= mesh.dim; ++i) {
      const int node = cell.nodes[static_cast<std::size_t>(i)];
      if (is_of_boundary[node] == 0) parts.inside.add(node);
    }
  }
  if (parts.inside.size() == 0) return;
  Triplets of_inside, of_moved;
  for (const StateCell& cell : mesh.cells) {
    // An element is as conductive as it is small: times its volume that makes the products alone.
    const MatX products = stiffness_of(edges_of(cell, mesh.dim, mesh.dim, mesh.x_rest)).products;
    for (int i = 0; i <= mesh.dim; ++i) {
      const int row = parts.inside[cell.nodes[static_cast<std::size_t>(i)]];
      if (row < 0) continue;
      for (int j = 0; j <= mesh.dim; ++j) {
        const int other = cell.nodes[static_cast<std::size_t>(j)];
        if (const int column = parts.inside[other]; column >= 0) of_inside.emplace_back(row, column, products(i, j));
        if (const int column = parts.moved[other]; column >= 0) of_moved.emplace_back(row, column, products(i, j));
      }
    }
  }
  Matrix stiffness(parts.inside.size(), parts.inside.size());
  stiffness.setFromTriplets(of_inside.begin(), of_inside.end());
  parts.coupling.resize(parts.inside.size(), parts.moved.size());
  parts.coupling.setFromTriplets(of_moved.begin(), of_moved.end());
  parts.factor.compute(stiffness);
}

InsideMotion::~InsideMotion() = default;

void InsideMotion::follow(VecX& x_rest) const {
  const Parts& parts = *parts_;
  if (parts.inside.size() == 0) return;
  const MatX displacement = columns_of(x_rest - parts.at_start, parts.moved.nodes, parts.dim);
  const MatX of_inside = parts.factor.solve(-(parts.coupling * displacement));
  for (Index k = 0; k < parts.inside.size(); ++k) {
    const Index at = static_cast<Index>(parts.dim) * parts.inside.nodes[static_cast<std::size_t>(k)];
    x_rest.segment(at, parts.dim) = parts.at_start.segment(at, parts.dim) + of_inside.row(k).transpose();
  }
}

void InsideMotion::collect(VecX& slope) const {
  const Parts& parts = *parts_;
  if (parts.inside.size() == 0) return;
  const MatX by_inside = columns_of(slope, parts.inside.nodes, parts.dim);
  const MatX by_moved = -(parts.coupling.transpose() * parts.factor.solve(by_inside));
  for (Index k = 0; k < parts.moved.size(); ++k) {
    slope.segment(static_cast<Index>(parts.dim) * parts.moved.nodes[static_cast<std::size_t>(k)], parts.dim) +=
        by_moved.row(k).transpose();
  }
  for (const int node : parts.inside.nodes) slope.segment(static_cast<Index>(parts.dim) * node, parts.dim).setZero();
}

struct SmoothChange::Parts {
  int dim = 3;
  VecX root_of_mass;
  Factor factor;
};

SmoothChange::SmoothChange(const StateMesh& mesh, const std::vector<int>& moved, double length)
    : parts_(std::make_unique<Parts>()) {
  Parts& parts = *parts_;
  parts.dim = mesh.dim;
  Numbers numbers(mesh.num_nodes());
  for (const int node : moved) numbers.add(node);
  VecX mass = VecX::Zero(numbers.size());
  Triplets triplets;
  for (const StateCell& face : mesh.faces) {
    const auto [products, measure] = stiffness_of(edges_of(face, mesh.dim - 1, mesh.dim, mesh.x_rest));
    for (int i = 0; i < mesh.dim; ++i) {
      const int row = numbers[face.nodes[static_cast<std::size_t>(i)]];
      if (row < 0) continue;
      mass[row] += measure / mesh.dim;
      for (int j = 0; j < mesh.dim; ++j) {
        const int column = numbers[face.nodes[static_cast<std::size_t>(j)]];
        if (column >= 0) triplets.emplace_back(row, column, length * length * measure * products(i, j));
      }
    }
  }
  // Masses are divided by their mean, so that numbers and displacements are of one size.
  const double mean = mass.mean();
  for (auto& entry : triplets) entry = {entry.row(), entry.col(), entry.value() / mean};
  mass /= mean;
  for (Index k = 0; k < mass.size(); ++k) triplets.emplace_back(static_cast<int>(k), static_cast<int>(k), mass[k]);
  Matrix matrix(mass.size(), mass.size());
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  parts.root_of_mass = mass.cwiseSqrt();
  parts.factor.compute(matrix);
}

SmoothChange::~SmoothChange() = default;

VecX SmoothChange::of_numbers(const VecX& z) const {
  const MatX weighted = parts_->root_of_mass.asDiagonal() * deinterleaved(z, parts_->dim);
  return interleaved(parts_->factor.solve(weighted));
}

VecX SmoothChange::pull_back(const VecX& slope) const {
  const MatX solved = parts_->factor.solve(deinterleaved(slope, parts_->dim));
  return interleaved(parts_->root_of_mass.asDiagonal() * solved);
}

double longest_motion(const StateMesh& mesh, const VecX& x_rest_t0, const VecX& x_rest_t1) {
  double longest = 1.0;
  const auto determinant = [](const MatX& m) {
    return m.cols() == 2 ? m(0, 0) * m(1, 1) - m(0, 1) * m(1, 0) : m.determinant();
  };
  for (const StateCell& cell : mesh.cells) {
    const MatX edges = edges_of(cell, mesh.dim, mesh.dim, x_rest_t0);
    const MatX motion = edges_of(cell, mesh.dim, mesh.dim, x_rest_t1) - edges;
    if (motion.isZero(0.0)) continue;
    // The polynomial det(edges + a motion) by its values: it is of degree dim, and even and odd parts are told apart.
    const double at_0 = determinant(edges), at_1 = determinant(edges + motion), at_minus = determinant(edges - motion);
    const double cubic = mesh.dim == 3 ? determinant(motion) : 0.0;
    const double odd = 0.5 * (at_1 - at_minus), even = 0.5 * (at_1 + at_minus) - at_0;
    longest = std::min(longest, find_positive_prefix({(1.0 - kept_volume_fraction) * at_0, odd - cubic, even, cubic}));
  }
  return longest;
}

double mean_edge(const StateMesh& mesh) {
  double sum = 0.0, count = 0.0;
  for (const StateCell& cell : mesh.cells) {
    for (int i = 0; i <= mesh.dim; ++i) {
      for (int j = 0; j < i; ++j) {
        sum += (node_of(mesh.x_rest, mesh.dim, cell.nodes[static_cast<std::size_t>(i)]) -
                node_of(mesh.x_rest, mesh.dim, cell.nodes[static_cast<std::size_t>(j)]))
                   .norm();
        count += 1.0;
      }
    }
  }
  return count > 0.0 ? sum / count : 0.0;
}

}  // namespace clearance::optimise
