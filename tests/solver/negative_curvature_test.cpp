#include "clearance/solver/negative_curvature.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <random>

namespace clearance {
namespace {

/// Returns a matrix of 2 x 2 blocks with the pattern of a chain, with the entries of `dense` there.
BlockSparseMatrix chain_of(const MatX& dense) {
  const int num_blocks = static_cast<int>(dense.rows()) / 2;
  std::vector<BlockKey> keys;
  for (int b = 0; b < num_blocks; ++b) {
    keys.push_back(make_block_key(b, b));
    if (b + 1 < num_blocks) keys.push_back(make_block_key(b + 1, b));
  }
  BlockSparseMatrix matrix(2, num_blocks, keys);
  for (const BlockKey key : keys) {
    const int row = block_row(key), column = block_column(key);
    matrix.add_to_slot<2>(matrix.find_slot(row, column), matrix.slot_stride(column),
                          Mat<2>(dense.block<2, 2>(2 * row, 2 * column)));
  }
  return matrix;
}

/// A chain of springs, and the same chain pressed by a share of what it bears.
struct Pencil {
  MatX projected, hessian;
};

Pencil random_pencil(std::mt19937& random, int num_blocks, double pressure) {
  std::uniform_real_distribution<double> between(0.5, 2.0);
  const int size = 2 * num_blocks;
  Pencil pencil{MatX::Zero(size, size), MatX()};
  MatX softening = MatX::Zero(size, size);
  for (int i = 0; i < size; ++i) pencil.projected(i, i) = 0.01 * between(random);
  for (int i = 0; i + 2 < size; ++i) {
    const double k = between(random), p = between(random);
    for (const int a : {i, i + 2}) {
      for (const int b : {i, i + 2}) {
        pencil.projected(a, b) += a == b ? k : -k;
        softening(a, b) += a == b ? p : -p;
      }
    }
  }
  pencil.hessian = pencil.projected - pressure * softening;
  return pencil;
}

TEST(NegativeCurvature, IsTheSmallestEigenvalueOfThePencil) {
  const unsigned seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (const double pressure : {0.1, 0.3, 0.6, 2.0}) {
    for (const int num_blocks : {1, 2, 5, 40}) {
      const Pencil pencil = random_pencil(random, num_blocks, pressure);
      const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> dense(pencil.hessian, pencil.projected);
      const double smallest = dense.eigenvalues()[0];
      const BlockSparseMatrix projected = chain_of(pencil.projected);
      const auto solver = make_cholmod_solver();
      ASSERT_EQ(solver->factorize(projected), LinearSolveStatus::solved);
      const VecX start = VecX::LinSpaced(2 * num_blocks, -1.0, 0.7);
      const auto found = find_negative_curvature(chain_of(pencil.hessian), *solver, start, 1e-4);
      ASSERT_EQ(found.has_value(), smallest < -1e-4) << pressure << " " << num_blocks << " " << smallest;
      if (!found) continue;
      EXPECT_NEAR(found->quotient, smallest, 1e-6 * std::abs(smallest));
      EXPECT_NEAR(found->dy.dot(pencil.hessian * found->dy), found->quotient, 1e-6 * std::abs(smallest));
      EXPECT_NEAR(found->dy.dot(pencil.projected * found->dy), 1.0, 1e-6);
    }
  }
}

TEST(NegativeCurvature, IsNoneOfAMatrixThatIsSingular) {
  MatX projected = MatX::Zero(8, 8);
  for (int i = 0; i + 2 < 8; ++i) {
    projected(i, i) += 1.0;
    projected(i + 2, i + 2) += 1.0;
    projected(i, i + 2) -= 1.0;
    projected(i + 2, i) -= 1.0;
  }
  BlockSparseMatrix shifted = chain_of(projected);
  shift_diagonal(1e-10, shifted);
  const auto solver = make_cholmod_solver();
  ASSERT_EQ(solver->factorize(shifted), LinearSolveStatus::solved);
  EXPECT_FALSE(find_negative_curvature(chain_of(projected), *solver, VecX::LinSpaced(8, 0.3, 1.0), 1e-4));
}

}  // namespace
}  // namespace clearance
