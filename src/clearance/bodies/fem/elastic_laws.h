// The list of the elastic laws, and their functions by the name of a law.
//
// A law is a type in a header of its own. It has
//   model                   its name in scenes (base/methods.h)
//   is_barrier              psi tends to infinity as det F -> 0, and is infinite for det F <= 0
//   stress_reads_svd        stress() reads the decomposition F = U diag(s) V^T
//   has_principal_frame     principal_hessian() holds in the frame of the singular values; if not, in any frame
//   energy(f, mu, lambda)                    psi(F) [Pa]
//   stress(f, svd, mu, lambda)               P(F) = d psi / dF [Pa]
//   principal_hessian(s, mu, lambda)         d2 psi / dF2 by modes (principal_hessian.h)
// for T = double and for Lanes.
#pragma once

#include <tuple>

#include "clearance/bodies/fem/fixed_corotational.h"
#include "clearance/bodies/fem/linear_elasticity.h"
#include "clearance/bodies/fem/neo_hookean.h"
#include "clearance/bodies/fem/plane_stress.h"
#include "clearance/bodies/fem/st_venant_kirchhoff.h"

namespace clearance::material_kernels {

using ElasticLaws =
    std::tuple<NeoHookean, FixedCorotational, StVenantKirchhoff, LinearElasticity, NeoHookeanPlaneStress,
               FixedCorotationalPlaneStress, StVenantKirchhoffPlaneStress, LinearElasticityPlaneStress>;

/// Returns visit(law) for the law of this name.
template <std::size_t k = 0, class Visit>
CLEARANCE_INLINE auto with_law(ElasticModel model, const Visit& visit) {
  using Law = std::tuple_element_t<k, ElasticLaws>;
  if constexpr (k + 1 == std::tuple_size_v<ElasticLaws>) {
    return visit(Law{});
  } else {
    if (model == Law::model) return visit(Law{});
    return with_law<k + 1>(model, visit);
  }
}

/// Returns psi(F).
template <class T, int dim>
CLEARANCE_INLINE T energy(ElasticModel model, const SmallMatrix<T, dim>& f, const T& mu, const T& lambda) {
  return with_law(
      model, [&](auto law) __attribute__((always_inline)) { return law.energy(f, mu, lambda); });
}

/// Returns P(F). `svd` is that of F; only laws whose stress reads it need it.
template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> stress(ElasticModel model, const SmallMatrix<T, dim>& f,
                                            const SvdFrame<T, dim>& svd, const T& mu, const T& lambda) {
  return with_law(
      model, [&](auto law) __attribute__((always_inline)) { return law.stress(f, svd, mu, lambda); });
}

/// Returns P(F); decomposes F only if the law needs it.
template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> stress(ElasticModel model, const SmallMatrix<T, dim>& f, const T& mu,
                                            const T& lambda) {
  return with_law(
      model, [&](auto law) __attribute__((always_inline)) {
        if constexpr (law.stress_reads_svd)
          return law.stress(f, compute_svd(f), mu, lambda);
        else
          return law.stress(f, SvdFrame<T, dim>{}, mu, lambda);
      });
}

/// Returns d2 psi / dF2 by modes, in the frame of the singular values s.
template <class T, int dim>
CLEARANCE_INLINE PrincipalHessian<T, dim> principal_hessian(ElasticModel model, const SmallVector<T, dim>& s,
                                                            const T& mu, const T& lambda) {
  return with_law(
      model, [&](auto law) __attribute__((always_inline)) { return law.principal_hessian(s, mu, lambda); });
}

/// Returns the frame in which the principal Hessian of the law holds.
template <class T, int dim>
CLEARANCE_INLINE SvdFrame<T, dim> principal_frame(ElasticModel model, const SmallMatrix<T, dim>& f) {
  const bool is_needed = with_law(
      model, [](auto law) __attribute__((always_inline)) { return law.has_principal_frame; });
  if (is_needed) return compute_svd(f);
  return {small_identity<T, dim>(), {}, small_identity<T, dim>()};
}

}  // namespace clearance::material_kernels
