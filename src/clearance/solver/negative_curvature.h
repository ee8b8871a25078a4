// Search for a direction in which a symmetric matrix has negative curvature.
#pragma once

#include <optional>

#include "clearance/sparse/block_sparse_matrix.h"
#include "clearance/sparse/linear_solver.h"

namespace clearance {

struct NegativeCurvature {
  VecX dy;
  double quotient = 0.0;  ///< dy^T H dy over dy^T P dy, below zero
};

/// Finds the smallest eigenvalue of H v = mu P v by Lanczos on P^-1 H, where `solver` holds a factor of the positive
/// definite matrix P and `start` is the force of the first vector. H is never above P, so that its eigenvalues lie at
/// one where the two agree, and few iterations are needed. No value if it is not below -`least`. The result has the
/// same bits for any number of threads.
std::optional<NegativeCurvature> find_negative_curvature(const BlockSparseMatrix& hessian, LinearSolver& solver,
                                                         const VecX& start, double least);

/// Share of the largest number of a diagonal that counts in each of its numbers beside that number itself.
inline constexpr double share_of_largest = 1e-6;

/// Adds `share` of its magnitude to each number on the diagonal, and share_of_largest times as much of the largest one.
void shift_diagonal(double share, BlockSparseMatrix& matrix);

}  // namespace clearance
