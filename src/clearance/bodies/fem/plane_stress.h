// Elastic laws for plane stress, in 2D. A plate takes the stretch t across the plane that costs the least energy,
//   psi(F) = min over t of psi_3(diag(F, t)),
// so that d psi_3 / dt = 0: there is no stress across the plane. Then P(F) is the block of P_3 in the plane, and the
// Hessian is that of psi_3 with t condensed.
#pragma once

#include "clearance/bodies/fem/fixed_corotational.h"
#include "clearance/bodies/fem/linear_elasticity.h"
#include "clearance/bodies/fem/neo_hookean.h"
#include "clearance/bodies/fem/st_venant_kirchhoff.h"

namespace clearance::material_kernels {

/// Returns t of the neo-Hookean law from J of the plane, by Newton's method. Needs lambda >= 0.
template <class T>
CLEARANCE_INLINE T stretch_across(NeoHookean /*law*/, const T& j, const T& mu, const T& lambda) {
  // With z = t^2 and t d psi_3 / dt = g this is g(z) = mu (z - 1) + lambda (ln J + ln(z) / 2) = 0. g grows and is
  // concave, so that Newton's method climbs to the root from any z where g <= 0: 1 if J <= 1, else 1 / J^2.
  const T valid = select(j > T(0.0), j, T(1.0));
  const T log_j = logarithm(valid);
  T z = select(log_j > T(0.0), T(1.0) / (valid * valid), T(1.0));
  for (int iteration = 0; iteration < 100; ++iteration) {
    const T g = mu * (z - T(1.0)) + lambda * (log_j + T(0.5) * logarithm(z));
    const T change = -g / (mu + T(0.5) * lambda / z);
    z += change;
    // The error of the next z is about the square of this change.
    if (!any_lane(change > T(1e-9) * z)) break;
  }
  return square_root(z);
}

/// Returns t of the fixed corotational law from J of the plane: 2 mu (t - 1) + lambda (J t - 1) J = 0.
template <class T>
CLEARANCE_INLINE T stretch_across(FixedCorotational /*law*/, const T& j, const T& mu, const T& lambda) {
  return (T(2.0) * mu + lambda * j) / (T(2.0) * mu + lambda * (j * j));
}

/// Returns lambda of laws that are quadratic in a strain: no stress across the plane leaves the strain
/// -lambda / (lambda + 2 mu) tr there, which acts as another lambda.
template <class T>
CLEARANCE_INLINE T lambda_of_plane_stress(const T& mu, const T& lambda) {
  return T(2.0) * mu * lambda / (lambda + T(2.0) * mu);
}

template <class T>
CLEARANCE_INLINE SmallMatrix<T, 3> with_stretch(const SmallMatrix<T, 2>& f, const T& t) {
  SmallMatrix<T, 3> whole = small_identity<T, 3>();
#pragma GCC unroll 2
  for (int c = 0; c < 2; ++c) {
#pragma GCC unroll 2
    for (int r = 0; r < 2; ++r) whole(r, c) = f(r, c);
  }
  whole(2, 2) = t;
  return whole;
}

/// Plane stress of a law by its stretch across the plane. The law in 3D is that of space.
template <class Law, ElasticModel name>
struct PlaneStressByStretch {
  static constexpr ElasticModel model = name;
  static constexpr bool is_barrier = Law::is_barrier;
  static constexpr bool stress_reads_svd = Law::stress_reads_svd;
  static constexpr bool has_principal_frame = true;

  template <class T, int dim>
  CLEARANCE_INLINE static T energy(const SmallMatrix<T, dim>& f, const T& mu, const T& lambda) {
    if constexpr (dim == 3) {
      return Law::energy(f, mu, lambda);
    } else {
      const T j = determinant(f);
      const T psi = Law::energy(with_stretch(f, stretch_across(Law{}, j, mu, lambda)), mu, lambda);
      return Law::is_barrier ? select(j > T(0.0), psi, T(infinity)) : psi;
    }
  }

  template <class T, int dim>
  CLEARANCE_INLINE static SmallMatrix<T, dim> stress(const SmallMatrix<T, dim>& f, const SvdFrame<T, dim>& svd,
                                                     const T& mu, const T& lambda) {
    if constexpr (dim == 3) {
      return Law::stress(f, svd, mu, lambda);
    } else {
      const T t = stretch_across(Law{}, determinant(f), mu, lambda);
      SvdFrame<T, 3> frame;
      if constexpr (Law::stress_reads_svd) {
        frame = {with_stretch(svd.u, T(1.0)), {{svd.sigma[0], svd.sigma[1], t}}, with_stretch(svd.v, T(1.0))};
      }
      const SmallMatrix<T, 3> whole = Law::stress(with_stretch(f, t), frame, mu, lambda);
      SmallMatrix<T, 2> in_plane;
#pragma GCC unroll 2
      for (int c = 0; c < 2; ++c) {
#pragma GCC unroll 2
        for (int r = 0; r < 2; ++r) in_plane(r, c) = whole(r, c);
      }
      return in_plane;
    }
  }

  template <class T, int dim>
  CLEARANCE_INLINE static PrincipalHessian<T, dim> principal_hessian(const SmallVector<T, dim>& s, const T& mu,
                                                                     const T& lambda) {
    if constexpr (dim == 3) {
      return Law::principal_hessian(s, mu, lambda);
    } else {
      const T t = stretch_across(Law{}, s[0] * s[1], mu, lambda);
      const SmallVector<T, 3> stretches = {{s[0], s[1], t}};
      const PrincipalHessian<T, 3> whole = Law::principal_hessian(stretches, mu, lambda);
      PrincipalHessian<T, 2> h;
#pragma GCC unroll 2
      for (int i = 0; i < 2; ++i) {
#pragma GCC unroll 2
        for (int k = 0; k < 2; ++k) {
          h.scaling(i, k) = whole.scaling(i, k) - whole.scaling(i, 2) * whole.scaling(k, 2) / whole.scaling(2, 2);
        }
      }
      // A change of the angle between the axes leaves t, to first order.
      h.flip[0] = whole.flip[0];
      h.twist[0] = whole.twist[0];
      return h;
    }
  }
};

/// Plane stress of a law that is quadratic in a strain. The law in 3D is that of space.
template <class Law, ElasticModel name>
struct PlaneStressByModulus {
  static constexpr ElasticModel model = name;
  static constexpr bool is_barrier = Law::is_barrier;
  static constexpr bool stress_reads_svd = Law::stress_reads_svd;
  static constexpr bool has_principal_frame = Law::has_principal_frame;

  template <class T, int dim>
  CLEARANCE_INLINE static T energy(const SmallMatrix<T, dim>& f, const T& mu, const T& lambda) {
    return Law::energy(f, mu, modulus<dim>(mu, lambda));
  }
  template <class T, int dim>
  CLEARANCE_INLINE static SmallMatrix<T, dim> stress(const SmallMatrix<T, dim>& f, const SvdFrame<T, dim>& svd,
                                                     const T& mu, const T& lambda) {
    return Law::stress(f, svd, mu, modulus<dim>(mu, lambda));
  }
  template <class T, int dim>
  CLEARANCE_INLINE static PrincipalHessian<T, dim> principal_hessian(const SmallVector<T, dim>& s, const T& mu,
                                                                     const T& lambda) {
    return Law::principal_hessian(s, mu, modulus<dim>(mu, lambda));
  }

 private:
  template <int dim, class T>
  CLEARANCE_INLINE static T modulus(const T& mu, const T& lambda) {
    if constexpr (dim == 3) {
      return lambda;
    } else {
      return lambda_of_plane_stress(mu, lambda);
    }
  }
};

using NeoHookeanPlaneStress = PlaneStressByStretch<NeoHookean, ElasticModel::neo_hookean_plane_stress>;
using FixedCorotationalPlaneStress =
    PlaneStressByStretch<FixedCorotational, ElasticModel::fixed_corotational_plane_stress>;
using StVenantKirchhoffPlaneStress =
    PlaneStressByModulus<StVenantKirchhoff, ElasticModel::st_venant_kirchhoff_plane_stress>;
using LinearElasticityPlaneStress =
    PlaneStressByModulus<LinearElasticity, ElasticModel::linear_elasticity_plane_stress>;

}  // namespace clearance::material_kernels
