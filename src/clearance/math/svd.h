// Rotation-variant singular value decomposition of 2x2 and 3x3 matrices: F = U diag(sigma) V^T, where U and V are
// rotations (determinant +1) and |sigma_i| descend. Only the last singular value may be negative: it has the sign of
// det F. One-sided Jacobi rotations make it backward stable for any F, also singular, inverted and with equal singular
// values.
#pragma once

#include "clearance/math/types.h"

namespace clearance {

template <int dim>
struct RotationVariantSvd {
  Mat<dim> u;
  Vec<dim> sigma;
  Mat<dim> v;
};

template <int dim>
RotationVariantSvd<dim> rotation_variant_svd(const Mat<dim>& f);

/// Returns the rotation nearest to F, U V^T. It is not unique if the two smallest singular values sum to zero.
template <int dim>
Mat<dim> nearest_rotation(const Mat<dim>& f);

}  // namespace clearance
