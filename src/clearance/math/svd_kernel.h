// The decomposition of svd.h for T = double or Lanes. Entries of f must lie within about 1e-70 .. 1e70 (products of
// four).
#pragma once

#include "clearance/math/small_matrix.h"

namespace clearance {

template <class T, int dim>
struct SvdFrame {
  SmallMatrix<T, dim> u;
  SmallVector<T, dim> sigma;
  SmallMatrix<T, dim> v;
};

namespace svd_detail {

/// Makes columns p and q of b orthogonal by a rotation from the right, which is also applied to v. Returns a mask of
/// the lanes that needed it.
template <class T, int dim>
CLEARANCE_INLINE auto rotate_columns(SmallMatrix<T, dim>& b, SmallMatrix<T, dim>& v, int p, int q, const T& norm_sq) {
  T alpha = b(0, p) * b(0, p), beta = b(0, q) * b(0, q), gamma = b(0, p) * b(0, q);
#pragma GCC unroll 3
  for (int r = 1; r < dim; ++r) {
    alpha += b(r, p) * b(r, p);
    beta += b(r, q) * b(r, q);
    gamma += b(r, p) * b(r, q);
  }
  // There is nothing to gain if the columns are orthogonal to 4.5 units of rounding, or if one is shorter than half a
  // unit of the whole matrix.
  const T smaller = select(alpha < beta, alpha, beta);
  const auto is_needed = (gamma * gamma > T(1e-30) * (alpha * beta)) & (smaller > T(1.2e-32) * norm_sq);
  // t is the tangent of the smaller of the two angles that diagonalise [alpha gamma; gamma beta].
  const T difference = beta - alpha;
  const T twice = gamma + gamma;
  const T root = square_root(difference * difference + twice * twice);
  const T signed_root = select(difference < T(0.0), -root, root);
  const T t = twice / select(is_needed, difference + signed_root, T(1.0));
  const T cosine = select(is_needed, T(1.0) / square_root(T(1.0) + t * t), T(1.0));
  const T sine = select(is_needed, t * cosine, T(0.0));
#pragma GCC unroll 3
  for (int r = 0; r < dim; ++r) {
    const T bp = b(r, p), bq = b(r, q), vp = v(r, p), vq = v(r, q);
    b(r, p) = cosine * bp - sine * bq;
    b(r, q) = sine * bp + cosine * bq;
    v(r, p) = cosine * vp - sine * vq;
    v(r, q) = sine * vp + cosine * vq;
  }
  return is_needed;
}

template <class T, int dim>
CLEARANCE_INLINE T column_norm_sq(const SmallMatrix<T, dim>& b, int c) {
  T sum = b(0, c) * b(0, c);
#pragma GCC unroll 3
  for (int r = 1; r < dim; ++r) sum += b(r, c) * b(r, c);
  return sum;
}

/// Exchanges columns p and q if q is longer; one of them changes sign so that det v stays +1.
template <class T, int dim>
CLEARANCE_INLINE void sort_columns(SmallMatrix<T, dim>& b, SmallMatrix<T, dim>& v, T& norm_p, T& norm_q, int p, int q) {
  const auto is_swapped = norm_q > norm_p;
#pragma GCC unroll 3
  for (int r = 0; r < dim; ++r) {
    const T bp = b(r, p), bq = b(r, q), vp = v(r, p), vq = v(r, q);
    b(r, p) = select(is_swapped, bq, bp);
    b(r, q) = select(is_swapped, -bp, bq);
    v(r, p) = select(is_swapped, vq, vp);
    v(r, q) = select(is_swapped, -vp, vq);
  }
  const T larger = select(is_swapped, norm_q, norm_p);
  norm_q = select(is_swapped, norm_p, norm_q);
  norm_p = larger;
}

/// Finds a unit vector orthogonal to the unit vector u: its cross product with the axis that it is least along.
template <class T>
CLEARANCE_INLINE void find_perpendicular(const T (&u)[3], T (&w)[3]) {
  const T x = absolute(u[0]), y = absolute(u[1]), z = absolute(u[2]);
  const auto is_x = !((x > y) | (x > z));
  const auto is_y = !(is_x | (y > z));
  w[0] = select(is_x, T(0.0), select(is_y, -u[2], u[1]));
  w[1] = select(is_x, u[2], select(is_y, T(0.0), -u[0]));
  w[2] = select(is_x, -u[1], select(is_y, u[0], T(0.0)));
  const T scale = T(1.0) / square_root(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  for (T& entry : w) entry *= scale;
}

/// Sets the first left singular vector: the longest column of b, or the first axis if b is zero.
template <class T, int dim>
CLEARANCE_INLINE void set_first_column(SvdFrame<T, dim>& svd, const SmallMatrix<T, dim>& b, const T& norm_sq) {
  const auto is_zero = !(norm_sq > T(0.0));
  svd.sigma[0] = square_root(norm_sq);
  const T inverse = T(1.0) / select(is_zero, T(1.0), svd.sigma[0]);
#pragma GCC unroll 3
  for (int r = 0; r < dim; ++r) svd.u(r, 0) = select(is_zero, T(r == 0 ? 1.0 : 0.0), b(r, 0) * inverse);
}

/// Computes the second and third left singular vectors, given the first.
template <class T>
CLEARANCE_INLINE void complete_frame(SvdFrame<T, 3>& svd, const SmallMatrix<T, 3>& b) {
  const T u0[3] = {svd.u(0, 0), svd.u(1, 0), svd.u(2, 0)};
  const T along = u0[0] * b(0, 1) + u0[1] * b(1, 1) + u0[2] * b(2, 1);
  T w[3] = {b(0, 1) - along * u0[0], b(1, 1) - along * u0[1], b(2, 1) - along * u0[2]};
  const T norm_sq = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  // A second column of pure rounding error has no direction: any perpendicular vector will do.
  const auto has_direction = norm_sq > T(1e-31) * (svd.sigma[0] * svd.sigma[0]);
  const T inverse = T(1.0) / select(has_direction, square_root(norm_sq), T(1.0));
  for (T& entry : w) entry *= inverse;
  if (any_lane(!has_direction)) {
    T other[3];
    find_perpendicular(u0, other);
    for (int r = 0; r < 3; ++r) w[r] = select(has_direction, w[r], other[r]);
  }
  const T u2[3] = {u0[1] * w[2] - u0[2] * w[1], u0[2] * w[0] - u0[0] * w[2], u0[0] * w[1] - u0[1] * w[0]};
#pragma GCC unroll 3
  for (int r = 0; r < 3; ++r) {
    svd.u(r, 1) = w[r];
    svd.u(r, 2) = u2[r];
  }
  svd.sigma[1] = select(has_direction, w[0] * b(0, 1) + w[1] * b(1, 1) + w[2] * b(2, 1), T(0.0));
  svd.sigma[2] = u2[0] * b(0, 2) + u2[1] * b(1, 2) + u2[2] * b(2, 2);
}

}  // namespace svd_detail

template <class T, int dim>
CLEARANCE_INLINE SvdFrame<T, dim> compute_svd(const SmallMatrix<T, dim>& f) {
  using namespace svd_detail;
  SvdFrame<T, dim> svd;
  SmallMatrix<T, dim> b = f;
  svd.v = small_identity<T, dim>();
  const T norm_sq = dot(f, f);
  // The sweeps converge quadratically, 4 to 5 for 3x3; lanes that are done do not change.
  constexpr int max_sweeps = dim == 2 ? 3 : 12;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    auto is_changed = rotate_columns(b, svd.v, 0, 1, norm_sq);
    if constexpr (dim == 3) {
      is_changed = is_changed | rotate_columns(b, svd.v, 0, 2, norm_sq);
      is_changed = is_changed | rotate_columns(b, svd.v, 1, 2, norm_sq);
    }
    if (!any_lane(is_changed)) break;
  }
  T n0 = column_norm_sq(b, 0), n1 = column_norm_sq(b, 1);
  sort_columns(b, svd.v, n0, n1, 0, 1);
  if constexpr (dim == 3) {
    T n2 = column_norm_sq(b, 2);
    sort_columns(b, svd.v, n1, n2, 1, 2);
    sort_columns(b, svd.v, n0, n1, 0, 1);
  }
  set_first_column(svd, b, n0);
  if constexpr (dim == 3) {
    complete_frame(svd, b);
  } else {
    svd.u(0, 1) = -svd.u(1, 0);
    svd.u(1, 1) = svd.u(0, 0);
    svd.sigma[1] = svd.u(0, 1) * b(0, 1) + svd.u(1, 1) * b(1, 1);
  }
  return svd;
}

}  // namespace clearance
