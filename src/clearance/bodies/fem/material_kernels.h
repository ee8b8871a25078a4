// The formulas of materials.h for T = double or Lanes. Energies avoid the cancellation of their textbook form near
// rest: at the end of a step the line search compares differences far below the rounding of mu.
#pragma once

#include "clearance/base/methods.h"
#include "clearance/math/logarithm.h"
#include "clearance/math/svd_kernel.h"
#include "clearance/math/types.h"

namespace clearance::material_kernels {

/// Returns C - I = F^T F - I.
template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> metric_change(const SmallMatrix<T, dim>& f) {
  SmallMatrix<T, dim> change = transposed_multiply(f, f);
#pragma GCC unroll 3
  for (int i = 0; i < dim; ++i) change(i, i) -= T(1.0);
  return change;
}

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

template <class T, int dim>
CLEARANCE_INLINE T neo_hookean_energy(const SmallMatrix<T, dim>& f, const T& mu, const T& lambda) {
  const SmallMatrix<T, dim> change = metric_change(f);
  const T j = determinant(f);
  const auto is_valid = j > T(0.0);
  const auto is_near_rest = dot(change, change) < T(0.01);

  // det C - 1 = tr + (terms of second and third order in C - I)
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
CLEARANCE_INLINE T corotational_energy(const SmallMatrix<T, dim>& f, const T& mu, const T& lambda) {
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

/// Returns mu |strain|^2 + lambda/2 (tr strain)^2.
template <class T, int dim>
CLEARANCE_INLINE T quadratic_energy(const SmallMatrix<T, dim>& strain, const T& mu, const T& lambda) {
  const T tr = trace(strain);
  return mu * dot(strain, strain) + T(0.5) * lambda * (tr * tr);
}

template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> green_strain(const SmallMatrix<T, dim>& f) {
  SmallMatrix<T, dim> strain = metric_change(f);
  for (T& entry : strain.m) entry *= T(0.5);
  return strain;
}

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

/// Returns psi(F).
template <class T, int dim>
CLEARANCE_INLINE T energy(ElasticModel model, const SmallMatrix<T, dim>& f, const T& mu, const T& lambda) {
  switch (model) {
    case ElasticModel::neo_hookean:
      return neo_hookean_energy(f, mu, lambda);
    case ElasticModel::fixed_corotational:
      return corotational_energy(f, mu, lambda);
    case ElasticModel::st_venant_kirchhoff:
      return quadratic_energy(green_strain(f), mu, lambda);
    case ElasticModel::linear_elasticity:
      break;
  }
  return quadratic_energy(linear_strain(f), mu, lambda);
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

/// Returns P(F). `svd` is that of F; only the fixed corotational material reads it.
template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> stress(ElasticModel model, const SmallMatrix<T, dim>& f,
                                            const SvdFrame<T, dim>& svd, const T& mu, const T& lambda) {
  switch (model) {
    case ElasticModel::neo_hookean: {
      // mu (F - F^-T) + lambda ln J F^-T, with F^-T = cof F / J
      const SmallMatrix<T, dim> cofactors = cofactor_matrix(f);
      const T j = determinant(f, cofactors);
      return combine(mu, f, (lambda * logarithm(j) - mu) / j, cofactors);
    }
    case ElasticModel::fixed_corotational: {
      // 2 mu (F - R) + lambda (J - 1) cof F
      const SmallMatrix<T, dim> rotation = multiply_transposed(svd.u, svd.v);
      const SmallMatrix<T, dim> cofactors = cofactor_matrix(f);
      const T pressure = lambda * (determinant(f, cofactors) - T(1.0));
      const SmallMatrix<T, dim> distortion = combine(T(2.0) * mu, f, T(-2.0) * mu, rotation);
      return combine(T(1.0), distortion, pressure, cofactors);
    }
    case ElasticModel::st_venant_kirchhoff:
      return multiply(f, hookean_stress(green_strain(f), mu, lambda));
    case ElasticModel::linear_elasticity:
      break;
  }
  return hookean_stress(linear_strain(f), mu, lambda);
}

/// Returns P(F); decomposes F only if the material needs it.
template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> stress(ElasticModel model, const SmallMatrix<T, dim>& f, const T& mu,
                                            const T& lambda) {
  if (model == ElasticModel::fixed_corotational) return stress(model, f, compute_svd(f), mu, lambda);
  return stress(model, f, SvdFrame<T, dim>{}, mu, lambda);
}

}  // namespace clearance::material_kernels
