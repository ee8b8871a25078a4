// Linear elasticity: mu |e|^2 + lambda/2 (tr e)^2, e = (F + F^T)/2 - I.
#pragma once

#include "clearance/bodies/fem/material_kernels.h"
#include "clearance/bodies/fem/principal_hessian.h"

namespace clearance::material_kernels {

template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> linear_strain(const SmallMatrix<T, dim>& f) {
  SmallMatrix<T, dim> strain;
#pragma GCC unroll 3
  for (int c = 0; c < dim; ++c) {
#pragma GCC unroll 3
    for (int r = 0; r < dim; ++r) strain(r, c) = T(0.5) * (f(r, c) + f(c, r)) - T(r == c ? 1.0 : 0.0);
  }
  return strain;
}

/// Small strain. The Hessian is constant and holds in any frame, in particular U = V = I.
struct LinearElasticity {
  static constexpr ElasticModel model = ElasticModel::linear_elasticity;
  static constexpr bool is_barrier = false;
  static constexpr bool stress_reads_svd = false;
  static constexpr bool has_principal_frame = false;

  template <class T, int dim>
  CLEARANCE_INLINE static T energy(const SmallMatrix<T, dim>& f, const T& mu, const T& lambda) {
    return quadratic_energy(linear_strain(f), mu, lambda);
  }

  template <class T, int dim>
  CLEARANCE_INLINE static SmallMatrix<T, dim> stress(const SmallMatrix<T, dim>& f, const SvdFrame<T, dim>& /*svd*/,
                                                     const T& mu, const T& lambda) {
    return hookean_stress(linear_strain(f), mu, lambda);
  }

  template <class T, int dim>
  CLEARANCE_INLINE static PrincipalHessian<T, dim> principal_hessian(const SmallVector<T, dim>& /*s*/, const T& mu,
                                                                     const T& lambda) {
    PrincipalHessian<T, dim> h;
#pragma GCC unroll 9
    for (int i = 0; i < dim * dim; ++i) h.scaling.m[i] = i % (dim + 1) == 0 ? lambda + T(2.0) * mu : lambda;
#pragma GCC unroll 3
    for (int p = 0; p < num_pairs<dim>; ++p) {
      h.flip[p] = T(2.0) * mu;
      h.twist[p] = T(0.0);
    }
    return h;
  }
};

}  // namespace clearance::material_kernels
