// The neo-Hookean law: mu/2 (tr F^T F - d) - mu ln J + lambda/2 (ln J)^2, J = det F > 0.
#pragma once

#include "clearance/bodies/fem/material_kernels.h"
#include "clearance/bodies/fem/principal_hessian.h"
#include "clearance/math/logarithm.h"
#include "clearance/math/types.h"

namespace clearance::material_kernels {

/// Returns x - ln(1 + x) for |x| < 0.2 to full relative accuracy. With r = x / (2 + x), ln(1 + x) = 2 artanh r and x -
/// 2 r = x r.
template <class T>
CLEARANCE_INLINE T minus_log1p(const T& x) {
  const T r = x / (T(2.0) + x);
  const T q = r * r;
  // artanh r / r - 1 = q/3 + q^2/5 + ...; q < 0.013 leaves less than 1e-17 after nine terms.
  T series = T(1.0 / 19.0);
#pragma GCC unroll 8
  for (int k = 17; k >= 3; k -= 2) series = series * q + T(1.0 / k);
  return x * r - T(2.0) * (r * q) * series;
}

/// Infinite energy at inversion.
struct NeoHookean {
  static constexpr ElasticModel model = ElasticModel::neo_hookean;
  static constexpr bool is_barrier = true;
  static constexpr bool stress_reads_svd = false;
  static constexpr bool has_principal_frame = true;

  template <class T, int dim>
  CLEARANCE_INLINE static T energy(const SmallMatrix<T, dim>& f, const T& mu, const T& lambda) {
    const SmallMatrix<T, dim> change = metric_change(f);
    const T j = determinant(f);
    const auto is_valid = j > T(0.0);
    const auto is_near_rest = dot(change, change) < T(0.01);

    // det C - 1 is tr plus terms of second and third order in C - I.
    const T tr = trace(change);
    T higher = determinant(change);
    if constexpr (dim == 3) higher += T(0.5) * (tr * tr - dot(change, change));
    const T x = select(is_near_rest, tr + higher, T(0.0));
    const T second_order = minus_log1p(x);
    // The distortion is tr - ln det C without its first-order terms; ln det C = 2 ln J.
    const T volume_change = select(is_near_rest, x - second_order, T(2.0) * logarithm(select(is_valid, j, T(1.0))));
    const T distortion = select(is_near_rest, second_order - higher, tr - volume_change);
    const T psi = T(0.5) * mu * distortion + T(0.125) * lambda * (volume_change * volume_change);
    return select(is_valid, psi, T(infinity));
  }

  template <class T, int dim>
  CLEARANCE_INLINE static SmallMatrix<T, dim> stress(const SmallMatrix<T, dim>& f, const SvdFrame<T, dim>& /*svd*/,
                                                     const T& mu, const T& lambda) {
    // The stress is mu (F - F^-T) + lambda ln J F^-T, with F^-T = cof F / J.
    const SmallMatrix<T, dim> cofactors = cofactor_matrix(f);
    const T j = determinant(f, cofactors);
    return combine(mu, f, (lambda * logarithm(j) - mu) / j, cofactors);
  }

  template <class T, int dim>
  CLEARANCE_INLINE static PrincipalHessian<T, dim> principal_hessian(const SmallVector<T, dim>& s, const T& mu,
                                                                     const T& lambda) {
    // The first derivatives are psi_i = mu s_i - c / s_i with c = mu - lambda ln J.
    PrincipalHessian<T, dim> h;
    T j = s[0], inverse[dim];
#pragma GCC unroll 3
    for (int i = 1; i < dim; ++i) j *= s[i];
    const T c = mu - lambda * logarithm(j);
#pragma GCC unroll 3
    for (int i = 0; i < dim; ++i) inverse[i] = T(1.0) / s[i];
#pragma GCC unroll 3
    for (int i = 0; i < dim; ++i) {
#pragma GCC unroll 3
      for (int k = 0; k < dim; ++k) h.scaling(i, k) = lambda * (inverse[i] * inverse[k]);
      h.scaling(i, i) += mu + c * (inverse[i] * inverse[i]);
    }
#pragma GCC unroll 3
    for (int p = 0; p < num_pairs<dim>; ++p) {
      const T coupling = c * (inverse[pair_first(p)] * inverse[pair_second(p)]);
      h.flip[p] = mu + coupling;
      h.twist[p] = mu - coupling;
    }
    return h;
  }
};

}  // namespace clearance::material_kernels
