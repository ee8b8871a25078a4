// Eigenvalues and eigenvectors of small symmetric matrices, by one solver for all sizes: unrolling it for every size
// would take the compiler minutes.
#pragma once

#include "clearance/math/types.h"

namespace clearance {

inline constexpr int largest_symmetric = 12;
using SmallSquare = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, largest_symmetric, largest_symmetric>;
using SmallColumn = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, largest_symmetric, 1>;

struct SymmetricModes {
  SmallColumn values;   ///< ascending
  SmallSquare vectors;  ///< columns, of length 1
};

/// Returns the eigenvalues and eigenvectors. Only the lower triangle is read.
SymmetricModes symmetric_modes(const SmallSquare& matrix);

}  // namespace clearance
