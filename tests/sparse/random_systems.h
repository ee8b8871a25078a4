// Random block-sparse systems for the tests of this folder, and their dense twins.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "clearance/sparse/block_assembler.h"
#include "clearance/sparse/linear_solver.h"

namespace clearance::test {

/// Returns the full symmetric matrix; of diagonal blocks the lower triangle counts.
inline MatX to_dense(const BlockSparseMatrix& matrix) {
  MatX dense = MatX::Zero(matrix.num_rows(), matrix.num_rows());
  const int dim = matrix.dim();
  for (int column = 0; column < matrix.num_blocks(); ++column) {
    for (const int row : matrix.column_rows(column)) {
      const double* block = matrix.values().data() + matrix.find_slot(row, column);
      for (int c = 0; c < dim; ++c) {
        for (int r = 0; r < dim; ++r) {
          if (row == column && r < c) continue;
          const double value = block[c * matrix.slot_stride(column) + r];
          dense(dim * row + r, dim * column + c) = dense(dim * column + c, dim * row + r) = value;
        }
      }
    }
  }
  return dense;
}

/// Returns stencils of 1 to `max_size` different nodes in any order.
inline StencilList random_stencils(int num_stencils, int num_nodes, std::mt19937& rng, int max_size = 4) {
  StencilList stencils;
  for (int s = 0; s < num_stencils; ++s) {
    std::vector<int> nodes(std::min(static_cast<unsigned>(num_nodes), static_cast<unsigned>(1 + rng() % max_size)));
    std::set<int> seen;
    for (std::size_t a = 0; a < nodes.size();) {
      nodes[a] = static_cast<int>(rng() % num_nodes);
      a += seen.insert(nodes[a]).second;
    }
    stencils.add(nodes);
  }
  return stencils;
}

/// Returns local Hessians B B^T * scale, which are positive semi-definite. Only the lower triangle of blocks is
/// included.
inline std::vector<double> random_locals(const StencilList& stencils, int dim, std::mt19937& rng,
                                         double contrast = 1.0) {
  std::vector<double> locals(stencils.first_local_block.back() * dim * dim, 0.0);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  double* next = locals.data();
  for (int s = 0; s < stencils.count(); ++s) {
    const int count = static_cast<int>(stencils.nodes_of(s).size()), size = dim * count;
    const MatX factor = MatX::NullaryExpr(size, size, [&] { return uniform(rng); });
    const MatX hessian = factor * factor.transpose() * (rng() % 2 ? contrast : 1.0);
    for (int a = 0; a < count; ++a) {
      for (int b = 0; b <= a; ++b, next += dim * dim) {
        Eigen::Map<MatX>(next, dim, dim) = hessian.block(dim * a, dim * b, dim, dim);
      }
    }
  }
  return locals;
}

/// Returns the sum that the assembler must compute, added naively.
inline MatX dense_sum(const StencilList& stencils, const std::vector<double>& locals, int dim, int num_nodes) {
  MatX dense = MatX::Zero(dim * num_nodes, dim * num_nodes);
  const double* next = locals.data();
  for (int s = 0; s < stencils.count(); ++s) {
    const auto nodes = stencils.nodes_of(s);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b, next += dim * dim) {
        const Eigen::Map<const MatX> local(next, dim, dim);
        const int row = dim * nodes[a], column = dim * nodes[b];
        dense.block(row, column, dim, dim) += local;
        if (a != b) dense.block(column, row, dim, dim) += local.transpose();
      }
    }
  }
  return dense;
}

inline void add_to(const BlockAssembler& assembler, BlockSparseMatrix& matrix, const std::vector<double>& locals,
                   double scale) {
  if (matrix.dim() == 2) assembler.add_to<2>(matrix, locals, scale);
  if (matrix.dim() == 3) assembler.add_to<3>(matrix, locals, scale);
}

inline void add_to_diagonal(BlockSparseMatrix& matrix, double value) {
  for (int b = 0; b < matrix.num_blocks(); ++b) {
    for (int c = 0; c < matrix.dim(); ++c)
      matrix.values()[matrix.find_slot(b, b) + c * (matrix.slot_stride(b) + 1)] += value;
  }
}

/// Returns a positive definite matrix with the pattern of random stencils.
inline BlockSparseMatrix random_positive_matrix(int dim, int num_nodes, int num_stencils, std::mt19937& rng,
                                                double contrast = 1.0, double shift = 0.1) {
  const StencilList stencils = random_stencils(num_stencils, num_nodes, rng);
  BlockAssembler assembler(stencils);
  BlockSparseMatrix matrix(dim, num_nodes, assembler.keys());
  EXPECT_TRUE(assembler.bind(matrix));
  add_to(assembler, matrix, random_locals(stencils, dim, rng, contrast), 1.0);
  add_to_diagonal(matrix, shift);
  return matrix;
}

/// Returns the matrix of a tetrahedral grid of nx x ny x nz nodes, numbered at random: one stencil per edge with a
/// random stiffness.
inline BlockSparseMatrix grid_matrix(int nx, int ny, int nz, std::mt19937& rng, double contrast = 1.0) {
  std::vector<int> number(static_cast<std::size_t>(nx) * ny * nz);
  for (std::size_t i = 0; i < number.size(); ++i) number[i] = static_cast<int>(i);
  std::shuffle(number.begin(), number.end(), rng);
  const int steps[7][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
  StencilList stencils;
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        for (const auto& step : steps) {
          if (i + step[0] >= nx || j + step[1] >= ny || k + step[2] >= nz) continue;
          const int a = number[(k * ny + j) * nx + i];
          const int b = number[((k + step[2]) * ny + j + step[1]) * nx + i + step[0]];
          stencils.add(std::array{a, b});
        }
      }
    }
  }
  BlockAssembler assembler(stencils);
  BlockSparseMatrix matrix(3, nx * ny * nz, assembler.keys());
  EXPECT_TRUE(assembler.bind(matrix));
  assembler.add_to<3>(matrix, random_locals(stencils, 3, rng, contrast), 1.0);
  add_to_diagonal(matrix, 0.01);
  return matrix;
}

/// Springs between points, a little stiff across their lines, as a system.
class Springs {
 public:
  explicit Springs(std::vector<VecX> positions) : positions_(std::move(positions)) {}

  void add(int a, int b, double stiffness) {
    const VecX n = (positions_[b] - positions_[a]).normalized();
    const Eigen::Index dim = n.size();
    const MatX hessian = stiffness * (n * n.transpose() + 1e-3 * MatX::Identity(dim, dim));
    stencils_.add(std::array{a, b});
    const std::size_t start = locals_.size();
    locals_.resize(start + num_stencil_blocks(2) * dim * dim);
    for (int block = 0; block < 3; ++block) {
      Eigen::Map<MatX>(locals_.data() + start + block * dim * dim, dim, dim) = block == 1 ? -hessian : hessian;
    }
  }

  /// Returns the sum of all springs and `shift` times the identity.
  BlockSparseMatrix matrix(double shift) const {
    BlockAssembler assembler(stencils_);
    BlockSparseMatrix matrix(static_cast<int>(positions_[0].size()), static_cast<int>(positions_.size()),
                             assembler.keys());
    EXPECT_TRUE(assembler.bind(matrix));
    add_to(assembler, matrix, locals_, 1.0);
    add_to_diagonal(matrix, shift);
    return matrix;
  }

 private:
  std::vector<VecX> positions_;
  StencilList stencils_;
  std::vector<double> locals_;
};

inline VecX solve(LinearSolver& solver, const BlockSparseMatrix& matrix, const VecX& b) {
  VecX x;
  EXPECT_EQ(solver.factorize(matrix), LinearSolveStatus::solved);
  EXPECT_EQ(solver.solve(b, x), LinearSolveStatus::solved);
  return x;
}

inline VecX random_vector(Eigen::Index size, std::mt19937& rng) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  return VecX::NullaryExpr(size, [&] { return uniform(rng); });
}

}  // namespace clearance::test
