// St. Venant and Kirchhoff's law: mu |E|^2 + lambda/2 (tr E)^2, E = (F^T F - I)/2.
#pragma once

#include "clearance/bodies/fem/material_kernels.h"
#include "clearance/bodies/fem/principal_hessian.h"

namespace clearance::material_kernels {

template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> green_strain(const SmallMatrix<T, dim>& f) {
  SmallMatrix<T, dim> strain = metric_change(f);
  for (T& entry : strain.m) entry *= T(0.5);
  return strain;
}

/// Quadratic in the Green strain.
struct StVenantKirchhoff {
  static constexpr ElasticModel model = ElasticModel::st_venant_kirchhoff;
  static constexpr bool is_barrier = false;
  static constexpr bool stress_reads_svd = false;
  static constexpr bool has_principal_frame = true;

  template <class T, int dim>
  CLEARANCE_INLINE static T energy(const SmallMatrix<T, dim>& f, const T& mu, const T& lambda) {
    return quadratic_energy(green_strain(f), mu, lambda);
  }

  template <class T, int dim>
  CLEARANCE_INLINE static SmallMatrix<T, dim> stress(const SmallMatrix<T, dim>& f, const SvdFrame<T, dim>& /*svd*/,
                                                     const T& mu, const T& lambda) {
    return multiply(f, hookean_stress(green_strain(f), mu, lambda));
  }

  template <class T, int dim>
  CLEARANCE_INLINE static PrincipalHessian<T, dim> principal_hessian(const SmallVector<T, dim>& s, const T& mu,
                                                                     const T& lambda) {
    // The first derivatives are psi_i = s_i (mu (s_i^2 - 1) + lambda t) with t = tr E = (sum s_i^2 - d) / 2.
    PrincipalHessian<T, dim> h;
    T sum_sq = s[0] * s[0];
#pragma GCC unroll 3
    for (int i = 1; i < dim; ++i) sum_sq += s[i] * s[i];
    const T base = lambda * (T(0.5) * (sum_sq - T(dim))) - mu;
#pragma GCC unroll 3
    for (int i = 0; i < dim; ++i) {
#pragma GCC unroll 3
      for (int k = 0; k < dim; ++k) h.scaling(i, k) = lambda * (s[i] * s[k]);
      h.scaling(i, i) += base + T(3.0) * mu * (s[i] * s[i]);
    }
#pragma GCC unroll 3
    for (int p = 0; p < num_pairs<dim>; ++p) {
      const T si = s[pair_first(p)], sk = s[pair_second(p)];
      h.flip[p] = base + mu * (si * si + sk * sk + si * sk);
      h.twist[p] = base + mu * (si * si + sk * sk - si * sk);
    }
    return h;
  }
};

}  // namespace clearance::material_kernels
