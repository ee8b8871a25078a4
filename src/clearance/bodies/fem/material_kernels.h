// Formulas that elastic laws share, for T = double or Lanes. Energies avoid the cancellation of their textbook form
// near rest: at the end of a step the line search compares differences far below the rounding of mu.
#pragma once

#include "clearance/base/methods.h"
#include "clearance/math/svd_kernel.h"

namespace clearance::material_kernels {

/// Returns C - I = F^T F - I.
template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> metric_change(const SmallMatrix<T, dim>& f) {
  SmallMatrix<T, dim> change = transposed_multiply(f, f);
#pragma GCC unroll 3
  for (int i = 0; i < dim; ++i) change(i, i) -= T(1.0);
  return change;
}

/// Returns mu |strain|^2 + lambda/2 (tr strain)^2.
template <class T, int dim>
CLEARANCE_INLINE T quadratic_energy(const SmallMatrix<T, dim>& strain, const T& mu, const T& lambda) {
  const T tr = trace(strain);
  return mu * dot(strain, strain) + T(0.5) * lambda * (tr * tr);
}

/// Returns 2 mu strain + lambda tr(strain) I.
template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> hookean_stress(const SmallMatrix<T, dim>& strain, const T& mu, const T& lambda) {
  SmallMatrix<T, dim> stress;
  const T pressure = lambda * trace(strain);
#pragma GCC unroll 9
  for (int i = 0; i < dim * dim; ++i) stress.m[i] = T(2.0) * mu * strain.m[i];
#pragma GCC unroll 3
  for (int i = 0; i < dim; ++i) stress(i, i) += pressure;
  return stress;
}

/// Returns a f + b g.
template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> combine(const T& a, const SmallMatrix<T, dim>& f, const T& b,
                                             const SmallMatrix<T, dim>& g) {
  SmallMatrix<T, dim> result;
#pragma GCC unroll 9
  for (int i = 0; i < dim * dim; ++i) result.m[i] = a * f.m[i] + b * g.m[i];
  return result;
}

}  // namespace clearance::material_kernels
