// The exact turning of stiff bodies whose inertia is symmetric about an axis (StiffBody::symmetry_axis), by methods
// other than Newmark's: of spheres and capsules by all of these, of others by restarted BDF2
// (simulation/build/stiff_units.cpp).
//
// Without torques such a body turns by R = exp(h [L / I_t]) exp(h (1 / I_a - 1 / I_t) (L . a) [a]), where L is its
// angular momentum, a the axis, and I_a and I_t are the moments of inertia about it and across it: a closed form, in
// steps of any length. The formula of positions leads past the rotation, and takes a sixth of the square of the turn
// [rad] of a step from the rate: a ball of 20 mm that rolls at 0.5 m/s would be half as fast after ten seconds.
//
// Torques add a rotation vector to the free turn, and a spin to that at its end. The formula of the method is that of
// these vectors: they are zero without torques, and what the last step has added is their past.
#pragma once

#include <vector>

#include "clearance/model/model.h"
#include "clearance/solver/time_integrator.h"

namespace clearance {

/// True if bodies turn freely by the functions below.
constexpr bool has_free_turns(TimeIntegrator method) {
  return method != TimeIntegrator::implicit_newmark && method != TimeIntegrator::quasi_static;
}

/// Turn [rad] of such a body about its angular momentum in a step, up to which torques turn it right: a gyroscope on a
/// joint does not sink.
inline constexpr double resolved_precession = 0.4;

/// Returns the turn [rad] of a body in space in a step from x_t0 to x_t1, in which it would move by `dx_free` at the
/// speed of the start, if that is more than resolved and torques have turned its axis; else zero. Torques about the
/// axis act right in any step, and bodies with equal moments have no axis.
double unresolved_turn(const Model& model, const StiffBody& body, const VecX& x_t0, const VecX& dx_free,
                       const VecX& x_t1);

/// Sets the targets of the columns of such bodies: turned freely, plus what they have moved by otherwise.
template <int dim>
void set_free_targets(const Model& model, const IntegratorOptions& options, const State& state, InertialTarget& target);

/// Returns the spin [rad/s] of each such body at the end of the step from `state` to x_t1.
template <int dim>
std::vector<Vec<3>> find_spins(const Model& model, const IntegratorOptions& options, const State& state,
                               const InertialTarget& target, const VecX& x_t1);
/// Sets the velocities of the columns of such bodies, which were at x_t0, to these spins.
template <int dim>
void set_spins(const Model& model, double h, const VecX& x_t0, const std::vector<Vec<3>>& spins, State& state);

/// Sets the displacements of the columns of such bodies to those along the arc, [turn] b at x_t1. Forces of friction do
/// work along these (contact/friction_potential.h). `dx_free` is the free motion of a step, h v_t0, which tells whole
/// turns.
template <int dim>
void set_arcs(const Model& model, const VecX& x_t0, const VecX& x_t1, const VecX& dx_free, VecX& dx);

extern template void set_free_targets<2>(const Model&, const IntegratorOptions&, const State&, InertialTarget&);
extern template void set_free_targets<3>(const Model&, const IntegratorOptions&, const State&, InertialTarget&);
extern template std::vector<Vec<3>> find_spins<2>(const Model&, const IntegratorOptions&, const State&,
                                                  const InertialTarget&, const VecX&);
extern template std::vector<Vec<3>> find_spins<3>(const Model&, const IntegratorOptions&, const State&,
                                                  const InertialTarget&, const VecX&);
extern template void set_spins<2>(const Model&, double, const VecX&, const std::vector<Vec<3>>&, State&);
extern template void set_spins<3>(const Model&, double, const VecX&, const std::vector<Vec<3>>&, State&);
extern template void set_arcs<2>(const Model&, const VecX&, const VecX&, const VecX&, VecX&);
extern template void set_arcs<3>(const Model&, const VecX&, const VecX&, const VecX&, VecX&);

}  // namespace clearance
