#include <algorithm>

#include "clearance/solver/step.h"

namespace clearance {

namespace {
/// Friction that has been lagged this often goes round in a circle; from there on it takes a part of what is new, which
/// ends the circle.
constexpr int num_whole_lags = 10;
}  // namespace

/// Friction starts from the contacts at the start of the step with the barrier stiffness of the last one, which is to
/// say from the normal forces that the last step ended with [Fer23, sec. 2.5.5].
template <int dim>
void Step<dim>::start_friction(const Direction& direction) {
  // The barriers of a scene's start balance nothing yet.
  if (!problem_.has_friction() || (has_forces() && state_.step == 0)) return;
  const double kappa = state_.kappa > 0.0 ? state_.kappa * target_.scale : problem_.kappa();
  problem_.lag_friction(problem_.make_iterate(state_.x, direction.candidates), options_.integrator.h * state_.v, kappa);
  report_.friction_iterations = 1;
}

/// Of what is new: half of what goes round in a circle ends it as a rule. Where the forces are still far from balance
/// with it after many lags, less and less is taken.
template <int dim>
double Step<dim>::lag_share() const {
  constexpr int num_half_lags = 40;
  const int count = report_.friction_iterations;
  // Where a coupled direction is to come, friction has to agree.
  if (count < num_whole_lags || wants_coupling()) return 1.0;
  const bool is_far = has_forces() && report_.imbalance > 0.1;
  return count < num_half_lags || !is_far ? 0.5 : 0.5 * num_half_lags / count;
}

/// Takes up the present normal forces and sliding directions, or a share of them. False if the friction so far was the
/// last of the wanted number, or nothing rubs.
template <int dim>
bool Step<dim>::take_up_friction(double share) {
  const int wanted = options_.friction.iterations;
  if (!problem_.has_friction() || (wanted > 0 && report_.friction_iterations >= wanted)) return false;
  const bool had_friction = !problem_.friction().is_empty();
  // What has slid before any friction was there says nothing of static or kinetic: it may stick.
  const VecX displacement =
      report_.friction_iterations == 0 ? VecX(VecX::Zero(current_.x.size())) : VecX(current_.x - state_.x);
  problem_.lag_friction(current_, displacement, problem_.kappa(), share);
  coupling_.num_to_skip = std::max(0, coupling_.num_to_skip - 1);
  is_friction_fresh_ = share == 1.0 && report_.friction_iterations > 0;
  if (is_friction_fresh_ && wants_coupling()) problem_.set_secant_share(0.0);
  if (!had_friction && problem_.friction().is_empty()) return false;
  ++report_.friction_iterations;
  current_energy_ = problem_.energy(current_);
  return true;
}

/// After a lagged solve, for another one.
template <int dim>
bool Step<dim>::lag_again() {
  if (!take_up_friction(lag_share())) return false;
  if (!report_.iterations.empty()) report_.iterations.back().event = "friction takes up the present contact forces";
  return true;
}

/// Friction with its secant stiffness while the line search cuts directions, and with its Hessian again, by and by,
/// when it does not: steps that never shoot through the valley of sticking, and Newton's convergence in the end.
template <int dim>
void Step<dim>::choose_secant_share() {
  if (problem_.friction().is_empty()) return;
  const bool is_cut = iteration_.alpha < 0.9 * iteration_.alpha_limit;
  const double share = 0.5 * problem_.secant_share();
  problem_.set_secant_share(is_cut ? 1.0 : share > 0.04 ? share : 0.0);
}

template void Step<2>::start_friction(const Step<2>::Direction&);
template double Step<2>::lag_share() const;
template bool Step<2>::take_up_friction(double);
template bool Step<2>::lag_again();
template void Step<2>::choose_secant_share();
template void Step<3>::start_friction(const Step<3>::Direction&);
template double Step<3>::lag_share() const;
template bool Step<3>::take_up_friction(double);
template bool Step<3>::lag_again();
template void Step<3>::choose_secant_share();

}  // namespace clearance
