// d2 psi / dF2 in the frame of the singular values, F = U diag(s) V^T. There it splits into a dim x dim block for the
// scaling modes and a 2x2 block for each pair of axes [Smi19, sec. 4]. For psi as a function of s:
//   scaling(i, j) = d2 psi / ds_i ds_j
//   flip          = (psi_i - psi_j) / (s_i - s_j)   on the symmetric mode u_i v_j^T + u_j v_i^T
//   twist         = (psi_i + psi_j) / (s_i + s_j)   on the antisymmetric mode u_i v_j^T - u_j v_i^T
// The divisions are carried out algebraically for each material, so that equal singular values need no special case.
#pragma once

#include "clearance/math/svd_kernel.h"

namespace clearance::material_kernels {

/// Number of pairs of axes; their order is (0,1), (0,2), (1,2).
template <int dim>
inline constexpr int num_pairs = dim*(dim - 1) / 2;
inline constexpr int pair_first(int pair) {
  return pair == 2 ? 1 : 0;
}
inline constexpr int pair_second(int pair) {
  return pair == 0 ? 1 : 2;
}
/// Returns the number of the pair of axes i != j.
inline constexpr int pair_index(int i, int j) {
  return i + j - 1;
}

template <class T, int dim>
struct PrincipalHessian {
  SmallMatrix<T, dim> scaling;
  T flip[num_pairs<dim>];
  T twist[num_pairs<dim>];
};

/// Returns the sum of positive_part(eigenvalue) v v^T of a symmetric matrix, by cyclic Jacobi rotations.
template <class T, int dim>
SmallMatrix<T, dim> positive_part_of_symmetric(SmallMatrix<T, dim> a) {
  SmallMatrix<T, dim> v = small_identity<T, dim>();
  const T norm_sq = dot(a, a);
  for (int sweep = 0; sweep < 12; ++sweep) {
    auto is_changed = norm_sq < T(0.0);
    for (int pair = 0; pair < num_pairs<dim>; ++pair) {
      const int p = pair_first(pair), q = pair_second(pair);
      // Rotate by the smaller angle that makes a(p, q) zero; skip once it is below rounding.
      const auto is_needed = a(p, q) * a(p, q) > T(1e-34) * norm_sq;
      is_changed = is_changed | is_needed;
      const T difference = a(q, q) - a(p, p), twice = a(p, q) + a(p, q);
      const T root = square_root(difference * difference + twice * twice);
      const T denominator = difference + select(difference < T(0.0), -root, root);
      const T t = select(is_needed, twice, T(0.0)) / select(is_needed, denominator, T(1.0));
      const T c = T(1.0) / square_root(T(1.0) + t * t);
      const T s = t * c;
      for (int r = 0; r < dim; ++r) {
        const T ap = a(r, p), aq = a(r, q), vp = v(r, p), vq = v(r, q);
        a(r, p) = c * ap - s * aq;
        a(r, q) = s * ap + c * aq;
        v(r, p) = c * vp - s * vq;
        v(r, q) = s * vp + c * vq;
      }
      for (int r = 0; r < dim; ++r) {
        const T ap = a(p, r), aq = a(q, r);
        a(p, r) = c * ap - s * aq;
        a(q, r) = s * ap + c * aq;
      }
    }
    if (!any_lane(is_changed)) break;
  }
  SmallMatrix<T, dim> weighted = v;
  for (int c = 0; c < dim; ++c) {
    const T weight = positive_part(a(c, c));
    for (int r = 0; r < dim; ++r) weighted(r, c) *= weight;
  }
  return multiply_transposed(weighted, v);
}

/// True if a symmetric matrix is positive definite, per lane, by the pivots of its factorisation.
template <class T, int dim>
CLEARANCE_INLINE auto is_positive_definite(const SmallMatrix<T, dim>& a) {
  const T l10 = a(1, 0) / a(0, 0);
  const T d1 = a(1, 1) - l10 * a(1, 0);
  auto result = (a(0, 0) > T(0.0)) & (d1 > T(0.0));
  if constexpr (dim == 3) {
    const T l20 = a(2, 0) / a(0, 0);
    const T e21 = a(2, 1) - l20 * a(1, 0);
    result = result & (a(2, 2) - l20 * a(2, 0) - e21 * (e21 / d1) > T(0.0));
  }
  return result;
}

/// Projects to the nearest positive semi-definite Hessian, each mode on its own.
template <class T, int dim>
CLEARANCE_INLINE void project_modes(PrincipalHessian<T, dim>& h) {
#pragma GCC unroll 3
  for (int p = 0; p < num_pairs<dim>; ++p) {
    h.flip[p] = positive_part(h.flip[p]);
    h.twist[p] = positive_part(h.twist[p]);
  }
  // The scaling block is rarely indefinite (never for moderate strain), so eigenvectors are computed only then.
  const auto is_definite = is_positive_definite(h.scaling);
  if (!any_lane(!is_definite)) return;
  const SmallMatrix<T, dim> projected = positive_part_of_symmetric(h.scaling);
#pragma GCC unroll 9
  for (int i = 0; i < dim * dim; ++i) h.scaling.m[i] = select(is_definite, h.scaling.m[i], projected.m[i]);
}

}  // namespace clearance::material_kernels
