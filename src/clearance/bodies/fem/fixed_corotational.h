// The fixed corotational law: mu |F - R|^2 + lambda/2 (J - 1)^2, R the rotation nearest to F [Sto12].
#pragma once

#include "clearance/bodies/fem/material_kernels.h"
#include "clearance/bodies/fem/principal_hessian.h"

namespace clearance::material_kernels {

/// Fixed corotated elasticity.
struct FixedCorotational {
  static constexpr ElasticModel model = ElasticModel::fixed_corotational;
  static constexpr bool is_barrier = false;
  static constexpr bool stress_reads_svd = true;
  static constexpr bool has_principal_frame = true;

  template <class T, int dim>
  CLEARANCE_INLINE static T energy(const SmallMatrix<T, dim>& f, const T& mu, const T& lambda) {
    const SvdFrame<T, dim> svd = compute_svd(f);
    T stretch_sq = T(0.0);
#pragma GCC unroll 3
    for (int i = 0; i < dim; ++i) {
      const T stretch = svd.sigma[i] - T(1.0);
      stretch_sq += stretch * stretch;
    }
    const T volume_change = determinant(f) - T(1.0);
    return mu * stretch_sq + T(0.5) * lambda * (volume_change * volume_change);
  }

  template <class T, int dim>
  CLEARANCE_INLINE static SmallMatrix<T, dim> stress(const SmallMatrix<T, dim>& f, const SvdFrame<T, dim>& svd,
                                                     const T& mu, const T& lambda) {
    // The stress is 2 mu (F - R) + lambda (J - 1) cof F.
    const SmallMatrix<T, dim> rotation = multiply_transposed(svd.u, svd.v);
    const SmallMatrix<T, dim> cofactors = cofactor_matrix(f);
    const T pressure = lambda * (determinant(f, cofactors) - T(1.0));
    const SmallMatrix<T, dim> distortion = combine(T(2.0) * mu, f, T(-2.0) * mu, rotation);
    return combine(T(1.0), distortion, pressure, cofactors);
  }

  template <class T, int dim>
  CLEARANCE_INLINE static PrincipalHessian<T, dim> principal_hessian(const SmallVector<T, dim>& s, const T& mu,
                                                                     const T& lambda) {
    // The first derivatives are psi_i = 2 mu (s_i - 1) + lambda (J - 1) m_i with m_i the product of the other singular
    // values.
    PrincipalHessian<T, dim> h;
    SmallVector<T, dim> m;
    if constexpr (dim == 2) {
      m[0] = s[1];
      m[1] = s[0];
    } else {
      m[0] = s[1] * s[2];
      m[1] = s[0] * s[2];
      m[2] = s[0] * s[1];
    }
    const T pressure = lambda * (s[0] * m[0] - T(1.0));
#pragma GCC unroll 3
    for (int i = 0; i < dim; ++i) h.scaling(i, i) = T(2.0) * mu + lambda * (m[i] * m[i]);
#pragma GCC unroll 3
    for (int p = 0; p < num_pairs<dim>; ++p) {
      const int i = pair_first(p), k = pair_second(p);
      const T other = dim == 3 ? s[3 - i - k] : T(1.0);
      h.scaling(i, k) = h.scaling(k, i) = lambda * (m[i] * m[k]) + pressure * other;
      // s_i + s_j is never negative; at zero R is not unique and twist tends to -infinity.
      const T sum = s[i] + s[k];
      h.flip[p] = T(2.0) * mu - pressure * other;
      h.twist[p] = T(2.0) * mu - T(4.0) * mu / select(sum > T(1e-200), sum, T(1e-200)) + pressure * other;
    }
    return h;
  }
};

}  // namespace clearance::material_kernels
