// Rates of stiff bodies that are those of a rigid motion.
#pragma once

#include <vector>

#include "clearance/model/model.h"
#include "clearance/solver/time_integrator.h"

namespace clearance {

/// For implicit Newmark: replaces the rates of the columns of every stiff body by those of a rotation. The velocities
/// have the same angular momentum; the accelerations keep their moment and have the centripetal part omega x (omega x
/// b). Newmark's formulas take both rates from differences of positions, where an error across the allowed motion comes
/// back with the other sign in the next step without end: a spinning body would gain energy without bound.
template <int dim>
void make_rates_rigid(const Model& model, const VecX& x, VecX& v, VecX& a);

/// True if balls turn by the functions below.
constexpr bool turns_balls(TimeIntegrator method) {
  return method != TimeIntegrator::implicit_newmark && method != TimeIntegrator::quasi_static;
}

/// The turning of balls (StiffBody::is_ball). A free ball turns at a constant rate about a fixed axis. The formula of
/// its blocks is therefore that of rotation vectors from the start of the step, and the columns have the target
/// exp([theta]) b, plus what they have moved by otherwise. The formula of positions leads past the rotation, and takes
/// a sixth of the square of the turn [rad] of a step from the rate: a ball of 20 mm that rolls at 0.5 m/s would be half
/// as fast after ten seconds.
template <int dim>
void set_targets_of_balls(const Model& model, const IntegratorOptions& options, const State& state,
                          InertialTarget& target);
/// Returns the spin [rad/s] of each ball at the end of the step from `state` to x_t1.
template <int dim>
std::vector<Vec<3>> spins_of_balls(const Model& model, const IntegratorOptions& options, const State& state,
                                   const InertialTarget& target, const VecX& x_t1);
/// Sets the velocities of the columns of balls, which were at x_t0, to these spins.
template <int dim>
void set_spins_of_balls(const Model& model, double h, const VecX& x_t0, const std::vector<Vec<3>>& spins, State& state);

/// Sets the displacements of the columns of balls to those along the arc, [turn] b at x_t1: forces there then do the
/// work of their torque.
template <int dim>
void set_arcs_of_balls(const Model& model, const VecX& x_t0, const InertialTarget& target, const VecX& x_t1, VecX& dx);

extern template void make_rates_rigid<2>(const Model&, const VecX&, VecX&, VecX&);
extern template void make_rates_rigid<3>(const Model&, const VecX&, VecX&, VecX&);
extern template void set_targets_of_balls<2>(const Model&, const IntegratorOptions&, const State&, InertialTarget&);
extern template void set_targets_of_balls<3>(const Model&, const IntegratorOptions&, const State&, InertialTarget&);
extern template std::vector<Vec<3>> spins_of_balls<2>(const Model&, const IntegratorOptions&, const State&,
                                                      const InertialTarget&, const VecX&);
extern template std::vector<Vec<3>> spins_of_balls<3>(const Model&, const IntegratorOptions&, const State&,
                                                      const InertialTarget&, const VecX&);
extern template void set_arcs_of_balls<2>(const Model&, const VecX&, const InertialTarget&, const VecX&, VecX&);
extern template void set_arcs_of_balls<3>(const Model&, const VecX&, const InertialTarget&, const VecX&, VecX&);
extern template void set_spins_of_balls<2>(const Model&, double, const VecX&, const std::vector<Vec<3>>&, State&);
extern template void set_spins_of_balls<3>(const Model&, double, const VecX&, const std::vector<Vec<3>>&, State&);

}  // namespace clearance
