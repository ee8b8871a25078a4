// Projection of symmetric matrices to the positive semi-definite cone.
#pragma once

#include "clearance/math/types.h"

namespace clearance {

/// Returns the nearest positive semi-definite matrix in the Frobenius norm: negative eigenvalues become zero. Only the
/// lower triangle of `matrix` (n x n, symmetric) is read.
template <int n>
Mat<n> project_to_psd(const Mat<n>& matrix);

}  // namespace clearance
