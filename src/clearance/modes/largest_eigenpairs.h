// The largest eigenvalues of a linear operator that is self-adjoint in an inner product of its own.
#pragma once

#include <functional>

#include "clearance/math/types.h"

namespace clearance {

/// An operator S and the inner product <x, y> = x^T B y in which it is self-adjoint: B S is symmetric, B positive
/// definite.
struct SelfAdjointOperator {
  int size = 0;
  std::function<VecX(const VecX& x)> apply;    ///< S x
  std::function<VecX(const VecX& x)> product;  ///< B x
};

struct Eigenpairs {
  VecX values;   ///< descending
  MatX vectors;  ///< one per column, orthonormal in the inner product
  /// False if Lanczos did not find all that were asked for: those beyond lie too close together, or there are none.
  bool is_complete = true;
};

/// Finds the `count` largest eigenvalues of S beside those of `excluded`, orthonormal eigenvectors that are known.
/// Lanczos finds one vector of a repeated eigenvalue, so that the search is repeated without the vectors found until
/// nothing larger is left. The result has the same bits for any number of threads.
Eigenpairs find_largest_eigenpairs(const SelfAdjointOperator& op, int count, const MatX& excluded);

}  // namespace clearance
