// Random states of stiff bodies for the tests of their energies.
#pragma once

#include <random>

#include "clearance/math/rotation.h"
#include "clearance/sparse/block_sparse_matrix.h"
#include "support/random_matrix.h"

namespace clearance::test {

/// Number of unknowns per stiff body.
template <int dim>
inline constexpr int num_unknowns = dim*(dim + 1);

/// Returns the rotation in space; in 2D the third axis stays in place.
template <int dim>
Mat<3> in_space(const Mat<dim>& rotation) {
  Mat<3> result = Mat<3>::Identity();
  result.template topLeftCorner<dim, dim>() = rotation;
  return result;
}

/// Turns and shifts all bodies at once: block 0 of each is a point, the others are directions.
template <int dim>
VecX moved(const VecX& x, const Mat<dim>& rotation, const Vec<dim>& shift) {
  VecX result(x.size());
  for (int b = 0; b < x.size() / dim; ++b) {
    block<dim>(result, b) = rotation * block<dim>(x, b);
    if (b % (dim + 1) == 0) block<dim>(result, b) += shift;
  }
  return result;
}

/// Returns the full symmetric matrix from its lower triangle.
inline MatX dense(const BlockSparseMatrix& matrix) {
  MatX full(matrix.num_rows(), matrix.num_rows());
  for (int j = 0; j < matrix.num_rows(); ++j) full.col(j) = matrix.multiply(VecX::Unit(matrix.num_rows(), j));
  return full;
}

}  // namespace clearance::test
