// Finite plasticity of von Mises with the law of Hencky, for the four elements of a pack.
//
// F = Fe Fp with the plastic part Fp, whose determinant is 1. A step that begins with Fp and the accumulated plastic
// strain a tries the elastic part Fe* = F Fp^-1 = U diag(s) V^T, with the principal logarithmic strains e = ln s. Its
// energy is the least over the flow d >= 0 along the deviator of e [Ort99]:
//   W = K/2 (tr e)^2 + q^2 / (6 mu) + integral of the yield stress from a to a + d,   q = q* - 3 mu d,
// with the equivalent trial stress q* = sqrt(6) mu |dev e|. The minimum is the return to the yield surface,
// q = yield stress. Stresses are those of Kirchhoff: J times those of Cauchy. The derivatives of W by F are the stress
// after the return and the tangent that is consistent with it [Sim92].
#pragma once

#include <array>

#include "clearance/bodies/fem/hardening.h"
#include "clearance/bodies/fem/principal_hessian.h"
#include "clearance/math/logarithm.h"

namespace clearance::material_kernels {

/// Constants of four elements, and the memory of one of their points.
struct PlasticPoint {
  Lanes mu, lambda;                                   ///< [Pa]
  std::array<const Hardening*, num_lanes> hardening;  ///< per lane
  Lanes accumulated;                                  ///< plastic strain at the start of the step
  Lanes across;                                       ///< 2D: elastic logarithmic strain across the plane at its start
  const std::array<int, num_lanes>* branches = nullptr;  ///< of the hardening, if they are held
};

/// A trial state and its return to the yield surface.
struct ReturnedState {
  Lanes log_j;        ///< tr e
  Lanes deviator[3];  ///< of the trial strains
  Lanes trial;        ///< [Pa] q*
  Lanes flow;         ///< d
  Lanes slope;        ///< [Pa] of the yield stress where the flow ends
  Lanes share;        ///< q / q*: the part of the deviator that stays elastic
};

/// Returns the state with these principal stretches of Fe*.
template <int dim>
CLEARANCE_INLINE ReturnedState return_to_yield(const SmallVector<Lanes, dim>& s, const PlasticPoint& point) {
  ReturnedState state;
  Lanes e[3];
  e[2] = point.across;
#pragma GCC unroll 3
  for (int i = 0; i < dim; ++i) e[i] = logarithm(s[i]);
  state.log_j = e[0] + e[1] + e[2];
  Lanes norm_sq = Lanes(0.0);
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
    state.deviator[i] = e[i] - Lanes(1.0 / 3.0) * state.log_j;
    norm_sq += state.deviator[i] * state.deviator[i];
  }
  state.trial = point.mu * square_root(Lanes(6.0) * norm_sq);
  const Lanes stiffness = Lanes(3.0) * point.mu;
  for (int lane = 0; lane < num_lanes; ++lane) {
    const Hardening& hardening = *point.hardening[lane];
    const double trial = state.trial[lane], accumulated = point.accumulated[lane];
    const PlasticFlow flow = point.branches == nullptr
                                 ? hardening.flow(trial, stiffness[lane], accumulated)
                                 : hardening.flow_on((*point.branches)[lane], trial, stiffness[lane], accumulated);
    state.flow.set(lane, flow.amount);
    state.slope.set(lane, flow.slope);
  }
  // The flow of a branch that is held may be negative.
  const auto has_stress = state.trial > Lanes(0.0);
  state.share = Lanes(1.0) - stiffness * state.flow / select(has_stress, state.trial, Lanes(1.0));
  return state;
}

CLEARANCE_INLINE Lanes bulk_modulus(const PlasticPoint& point) {
  return point.lambda + Lanes(2.0 / 3.0) * point.mu;
}

/// Returns the elastic part of W [J/m^3].
CLEARANCE_INLINE Lanes stored_energy(const ReturnedState& state, const PlasticPoint& point) {
  const Lanes q = state.share * state.trial;
  return Lanes(0.5) * bulk_modulus(point) * (state.log_j * state.log_j) + q * q / (Lanes(6.0) * point.mu);
}

/// Returns the work of the flow [J/m^3], the other part of W.
inline Lanes flow_work(const ReturnedState& state, const PlasticPoint& point) {
  Lanes work;
  for (int lane = 0; lane < num_lanes; ++lane) {
    const double before = point.accumulated[lane];
    work.set(lane, point.hardening[lane]->work(before, before + state.flow[lane]));
  }
  return work;
}

/// Returns the principal Kirchhoff stress i [Pa], the derivative of W by e_i.
CLEARANCE_INLINE Lanes kirchhoff_stress(const ReturnedState& state, const PlasticPoint& point, int i) {
  return bulk_modulus(point) * state.log_j + Lanes(2.0) * point.mu * state.share * state.deviator[i];
}

/// Returns dW / dFe* [Pa].
template <int dim>
CLEARANCE_INLINE SmallMatrix<Lanes, dim> plastic_stress(const SvdFrame<Lanes, dim>& svd, const ReturnedState& state,
                                                        const PlasticPoint& point) {
  SmallMatrix<Lanes, dim> scaled;
#pragma GCC unroll 3
  for (int i = 0; i < dim; ++i) {
    const Lanes psi = kirchhoff_stress(state, point, i) / svd.sigma[i];
#pragma GCC unroll 3
    for (int r = 0; r < dim; ++r) scaled(r, i) = psi * svd.u(r, i);
  }
  return multiply_transposed(scaled, svd.v);
}

/// Returns artanh(r) / r for r = (s_i - s_k) / (s_i + s_k), where artanh r = (ln s_i - ln s_k) / 2.
CLEARANCE_INLINE Lanes artanh_ratio(const Lanes& r, const Lanes& log_ratio) {
  const Lanes q = r * r;
  const auto is_small = q < Lanes(0.01);
  // The series 1 + q/3 + q^2/5 + ...; q < 0.01 leaves less than 1e-17 after nine terms.
  Lanes series = Lanes(1.0 / 17.0);
#pragma GCC unroll 8
  for (int k = 15; k >= 1; k -= 2) series = series * q + Lanes(1.0 / k);
  return select(is_small, series, Lanes(0.5) * log_ratio / select(is_small, Lanes(1.0), r));
}

/// Returns d2W / dFe*2 by modes.
template <int dim>
CLEARANCE_INLINE PrincipalHessian<Lanes, dim> plastic_hessian(const SmallVector<Lanes, dim>& s,
                                                              const ReturnedState& state, const PlasticPoint& point) {
  // With t_i = dW / de_i, t_ik = K + 2 mu share (delta_ik - 1/3) + turn d_i d_k: the last term is the change of the
  // share, 2 mu / |d|^2 (3 mu flow / q* - 3 mu / (3 mu + slope)), with |d|^2 = q*^2 / (6 mu^2).
  const Lanes mu3 = Lanes(3.0) * point.mu, mu2 = Lanes(2.0) * point.mu;
  const auto has_flow = state.flow > Lanes(0.0);
  const Lanes trial = select(has_flow, state.trial, Lanes(1.0));
  const Lanes turn = select(has_flow,
                            mu2 * (Lanes(6.0) * point.mu * point.mu) / (trial * trial) *
                                (mu3 * state.flow / trial - mu3 / (mu3 + state.slope)),
                            Lanes(0.0));
  const Lanes shear = mu2 * state.share, bulk = bulk_modulus(point) - Lanes(1.0 / 3.0) * shear;
  PrincipalHessian<Lanes, dim> h;
  Lanes t[dim], inverse[dim];
#pragma GCC unroll 3
  for (int i = 0; i < dim; ++i) {
    t[i] = kirchhoff_stress(state, point, i);
    inverse[i] = Lanes(1.0) / s[i];
  }
#pragma GCC unroll 3
  for (int i = 0; i < dim; ++i) {
#pragma GCC unroll 3
    for (int k = 0; k < dim; ++k) {
      h.scaling(i, k) = (bulk + turn * (state.deviator[i] * state.deviator[k])) * (inverse[i] * inverse[k]);
    }
    h.scaling(i, i) += (shear - t[i]) * (inverse[i] * inverse[i]);
  }
  // The first derivatives are psi_i = t_i / s_i, and t_i - t_k = shear (ln s_i - ln s_k).
#pragma GCC unroll 3
  for (int p = 0; p < num_pairs<dim>; ++p) {
    const int i = pair_first(p), k = pair_second(p);
    const Lanes sum = s[i] + s[k], product = inverse[i] * inverse[k];
    const Lanes ratio = artanh_ratio((s[i] - s[k]) / sum, state.deviator[i] - state.deviator[k]);
    h.flip[p] = (shear * ratio - Lanes(0.5) * (t[i] + t[k])) * product;
    h.twist[p] = (t[i] * s[k] + t[k] * s[i]) / sum * product;
  }
  return h;
}

}  // namespace clearance::material_kernels
