#include "clearance/solver/rigid_rates.h"

#include "clearance/math/rotation.h"
#include "clearance/solver/rigid_columns.h"

namespace clearance {

template <int dim>
void make_rates_rigid(const Model& model, const VecX& x, VecX& v, VecX& a) {
  for (const StiffBody& stiff : model.stiff_bodies) {
    const RigidColumns<dim> body(model, stiff, x);
    // The nearest velocity of a rotation has the same angular momentum.
    const Vec<3> spin = body.turn_of(body.columns(v));
    const typename RigidColumns<dim>::Columns velocity = body.turned(spin, body.b());
    body.write(velocity, v);
    // omega x (omega x b), and the angular acceleration that keeps the moment.
    typename RigidColumns<dim>::Columns acceleration = body.turned(spin, velocity);
    const typename RigidColumns<dim>::Columns turned =
        body.turned(body.turn_of(body.columns(a)) - body.turn_of(acceleration), body.b());
    for (std::size_t i = 0; i < acceleration.size(); ++i) acceleration[i] += turned[i];
    body.write(acceleration, a);
  }
}

namespace {

/// Returns the columns of a body as a matrix.
template <int dim>
Mat<3> as_matrix(const RigidColumns<dim>& body) {
  Mat<3> matrix;
  for (int i = 0; i < 3; ++i) matrix.col(i) = body.b()[i];
  if constexpr (dim == 2) matrix(2, 2) = matrix.col(0).norm();
  return matrix;
}

template <int dim>
Mat<3> rotation_between(const RigidColumns<dim>& from, const RigidColumns<dim>& to) {
  return nearest_rotation<3>(as_matrix(to) * as_matrix(from).transpose());
}

/// The past of a ball as the formulas of time integrators see it: rotation vectors from where it is.
struct PastTurn {
  Vec<3> of_last = Vec<3>::Zero();            // [rad] of the last step
  Vec<3> spin, spin_before = Vec<3>::Zero();  // [rad/s] now, and a step earlier
};

template <int dim>
PastTurn past_turn(const Model& model, const StiffBody& ball, const State& state, bool has_past) {
  const RigidColumns<dim> now(model, ball, state.x);
  PastTurn past;
  past.spin = now.turn_of(now.columns(state.v));
  if (!has_past) return past;
  const RigidColumns<dim> before(model, ball, state.x_prev);
  past.of_last = rotation_vector(rotation_between(before, now));
  past.spin_before = before.turn_of(before.columns(state.v_prev));
  return past;
}

/// Returns the rotation vector of a ball in a step: that of the turn to its target, and that of what forces have added.
/// A ball has no gyroscopic moments, and so its spin changes along the torque. The vector of both turns together would
/// add a part across it, half of the product of the two.
template <int dim>
Vec<3> turn_in_step(const Model& model, const StiffBody& ball, const VecX& x_t0, const InertialTarget& target,
                    const VecX& x_t1) {
  const RigidColumns<dim> start(model, ball, x_t0), aim(model, ball, target.x_tilde), end(model, ball, x_t1);
  return rotation_vector(rotation_between(start, aim)) + rotation_vector(rotation_between(aim, end));
}

}  // namespace

template <int dim>
void set_targets_of_balls(const Model& model, const IntegratorOptions& options, const State& state,
                          InertialTarget& target) {
  for (const StiffBody& ball : model.stiff_bodies) {
    if (!ball.is_ball) continue;
    const LinearFormula formula = formula_of(options, state, target, ball.first_block + 1);
    const PastTurn past = past_turn<dim>(model, ball, state, formula.of_prev != 0.0);
    const Mat<3> rotation = rotation_by<3>(formula.of_v * past.spin + formula.of_v_prev * past.spin_before -
                                           formula.of_prev * past.of_last);
    // An affine ball may stretch as well.
    const RigidColumns<dim> body(model, ball, state.x);
    const typename RigidColumns<dim>::Columns rates = body.columns(state.v), turning = body.turned(past.spin, body.b());
    typename RigidColumns<dim>::Columns columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns[i] = rotation * body.b()[i] + options.h * (rates[i] - turning[i]);
    }
    body.write(columns, target.x_tilde);
  }
}

template <int dim>
std::vector<Vec<3>> spins_of_balls(const Model& model, const IntegratorOptions& options, const State& state,
                                   const InertialTarget& target, const VecX& x_t1) {
  std::vector<Vec<3>> spins;
  for (const StiffBody& ball : model.stiff_bodies) {
    if (!ball.is_ball) continue;
    const LinearFormula formula = formula_of(options, state, target, ball.first_block + 1);
    const PastTurn past = past_turn<dim>(model, ball, state, formula.rate_prev != 0.0);
    const Vec<3> turn = turn_in_step<dim>(model, ball, state.x, target, x_t1);
    spins.push_back(formula.rate * turn - formula.rate_prev * past.of_last + formula.rate_v * past.spin);
  }
  return spins;
}

template <int dim>
void set_spins_of_balls(const Model& model, double h, const VecX& x_t0, const std::vector<Vec<3>>& spins,
                        State& state) {
  auto spin = spins.begin();
  for (const StiffBody& ball : model.stiff_bodies) {
    if (!ball.is_ball) continue;
    const RigidColumns<dim> before(model, ball, x_t0), now(model, ball, state.x);
    const Mat<3> rotation = rotation_between(before, now);
    typename RigidColumns<dim>::Columns rates = now.turned(*spin++, now.b());
    for (std::size_t i = 0; i < rates.size(); ++i) rates[i] += (now.b()[i] - rotation * before.b()[i]) / h;
    now.write(rates, state.v);
  }
}

template <int dim>
void set_arcs_of_balls(const Model& model, const VecX& x_t0, const InertialTarget& target, const VecX& x_t1, VecX& dx) {
  for (const StiffBody& ball : model.stiff_bodies) {
    if (!ball.is_ball) continue;
    const RigidColumns<dim> before(model, ball, x_t0), now(model, ball, x_t1);
    const Mat<3> rotation = rotation_between(before, now);
    typename RigidColumns<dim>::Columns arcs = now.turned(turn_in_step<dim>(model, ball, x_t0, target, x_t1), now.b());
    for (std::size_t i = 0; i < arcs.size(); ++i) arcs[i] += now.b()[i] - rotation * before.b()[i];
    now.write(arcs, dx);
  }
}

template void set_arcs_of_balls<2>(const Model&, const VecX&, const InertialTarget&, const VecX&, VecX&);
template void set_arcs_of_balls<3>(const Model&, const VecX&, const InertialTarget&, const VecX&, VecX&);
template void set_targets_of_balls<2>(const Model&, const IntegratorOptions&, const State&, InertialTarget&);
template void set_targets_of_balls<3>(const Model&, const IntegratorOptions&, const State&, InertialTarget&);
template std::vector<Vec<3>> spins_of_balls<2>(const Model&, const IntegratorOptions&, const State&,
                                               const InertialTarget&, const VecX&);
template std::vector<Vec<3>> spins_of_balls<3>(const Model&, const IntegratorOptions&, const State&,
                                               const InertialTarget&, const VecX&);
template void set_spins_of_balls<2>(const Model&, double, const VecX&, const std::vector<Vec<3>>&, State&);
template void set_spins_of_balls<3>(const Model&, double, const VecX&, const std::vector<Vec<3>>&, State&);
template void make_rates_rigid<2>(const Model&, const VecX&, VecX&, VecX&);
template void make_rates_rigid<3>(const Model&, const VecX&, VecX&, VecX&);

}  // namespace clearance
