// What a curved element has as energy at its points, as functions of F: laws for CurvedPotential.
#pragma once

#include "clearance/bodies/fem/principal_hessian.h"
#include "clearance/math/logarithm.h"

namespace clearance {

/// Elastic materials. T = Lanes or double.
struct ElasticLaw {
  static constexpr const char* name = "elastic";
  static constexpr bool acts_everywhere = true;

  template <class T, int dim>
  CLEARANCE_INLINE static T energy(ElasticModel model, const SmallMatrix<T, dim>& f, const T& mu, const T& lambda) {
    return material_kernels::energy(model, f, mu, lambda);
  }
  template <class T, int dim>
  CLEARANCE_INLINE static SmallMatrix<T, dim> stress(ElasticModel model, const SmallMatrix<T, dim>& f, const T& mu,
                                                     const T& lambda) {
    return material_kernels::stress(model, f, mu, lambda);
  }
  /// The frame in which the principal Hessian holds.
  template <class T, int dim>
  CLEARANCE_INLINE static SvdFrame<T, dim> frame(ElasticModel model, const SmallMatrix<T, dim>& f) {
    if (model != ElasticModel::linear_elasticity) return compute_svd(f);
    return {small_identity<T, dim>(), {}, small_identity<T, dim>()};
  }
  template <class T, int dim>
  CLEARANCE_INLINE static material_kernels::PrincipalHessian<T, dim> hessian(ElasticModel model,
                                                                             const SmallVector<T, dim>& sigma,
                                                                             const T& mu, const T& lambda) {
    return material_kernels::principal_hessian(model, sigma, mu, lambda);
  }
};

/// w b(J) with b(J) = -(J/J0 - 1)^2 ln(J/J0) below J0, w = J0 (lambda + 2 mu): inversion_barrier.h. Of all materials:
/// the energy of neo-Hookean ones is infinite at the points that it is evaluated at, and nowhere else.
struct VolumeLaw {
  static constexpr const char* name = "inversion_barrier";
  static constexpr bool acts_everywhere = false;
  static constexpr double fraction = 0.1;  ///< J0

  template <class T>
  struct Value {
    T value, first, second;  // by J
  };
  template <class T>
  CLEARANCE_INLINE static Value<T> barrier(const T& j, const T& mu, const T& lambda) {
    const T y = j * T(1.0 / fraction);
    const auto is_active = y<T(1.0), is_valid = j> T(0.0);
    const T inside = select(is_active & is_valid, y, T(1.0));
    const T difference = inside - T(1.0), log_y = logarithm(inside), inverse = T(1.0) / inside;
    const T positive = select(lambda > T(0.0), lambda, T(0.0));
    const T w = T(fraction) * (positive + T(2.0) * mu);
    const T by_y = -difference * (T(2.0) * log_y + difference * inverse);
    const T by_y2 = T(-2.0) * log_y - difference * inverse * (T(4.0) - difference * inverse);
    return {select(is_valid, -w * difference * difference * log_y, T(infinity)), T(1.0 / fraction) * w * by_y,
            T(1.0 / (fraction * fraction)) * w * by_y2};
  }
  template <class T, int dim>
  CLEARANCE_INLINE static T energy(ElasticModel, const SmallMatrix<T, dim>& f, const T& mu, const T& lambda) {
    return barrier(determinant(f), mu, lambda).value;
  }
  template <class T, int dim>
  CLEARANCE_INLINE static SmallMatrix<T, dim> stress(ElasticModel, const SmallMatrix<T, dim>& f, const T& mu,
                                                     const T& lambda) {
    SmallMatrix<T, dim> cofactors = cofactor_matrix(f);
    const T first = barrier(determinant(f, cofactors), mu, lambda).first;
    for (T& entry : cofactors.m) entry *= first;
    return cofactors;
  }
  template <class T, int dim>
  CLEARANCE_INLINE static SvdFrame<T, dim> frame(ElasticModel, const SmallMatrix<T, dim>& f) {
    return compute_svd(f);
  }
  /// With psi_i = b' J / s_i.
  template <class T, int dim>
  CLEARANCE_INLINE static material_kernels::PrincipalHessian<T, dim> hessian(ElasticModel, const SmallVector<T, dim>& s,
                                                                             const T& mu, const T& lambda) {
    material_kernels::PrincipalHessian<T, dim> h;
    T j = s[0];
#pragma GCC unroll 3
    for (int i = 1; i < dim; ++i) j *= s[i];
    const Value<T> b = barrier(j, mu, lambda);
#pragma GCC unroll 3
    for (int i = 0; i < dim; ++i) {
#pragma GCC unroll 3
      for (int k = 0; k < dim; ++k) {
        const T of_pair = j / (s[i] * s[k]);
        h.scaling(i, k) = b.second * j * of_pair;
        if (i != k) h.scaling(i, k) += b.first * of_pair;
      }
    }
#pragma GCC unroll 3
    for (int p = 0; p < material_kernels::num_pairs<dim>; ++p) {
      const T of_pair = b.first * (j / (s[material_kernels::pair_first(p)] * s[material_kernels::pair_second(p)]));
      h.flip[p] = -of_pair;
      h.twist[p] = of_pair;
    }
    return h;
  }
};

}  // namespace clearance
