#include "clearance/solver/friction_lag.h"

#include <algorithm>

namespace clearance {

namespace {
/// Number of lags after which friction has gone round in a circle as a rule. From there on it takes only a part of the
/// new friction, which ends the circle.
constexpr int num_whole_lags = 10;
/// Part of the imbalance at a failed coupled direction below which the next is tried at once.
constexpr double nearer_share = 0.3;
}  // namespace

/// Lags friction with the contacts at the start of the step and the barrier stiffness of the last one, that is, with
/// the normal forces that the last step ended with.
template <int dim>
void FrictionLag<dim>::start(std::shared_ptr<const Candidates> candidates) {
  const State& state = in_.state;
  // At the start of a scene the barriers do not balance anything yet.
  if (!problem_.has_friction() || (agrees_ && state.step == 0)) return;
  const double kappa = state.kappa > 0.0 ? state.kappa * problem_.target().scale : problem_.kappa();
  problem_.lag_friction(problem_.make_iterate(state.x, std::move(candidates)), in_.options.integrator.h * state.v,
                        kappa);
  num_lags_ = 1;
}

/// Returns the share of the new friction that is taken. Half of it ends a circle as a rule. If the forces are still far
/// from balance with it after many lags, less and less is taken.
template <int dim>
double FrictionLag<dim>::share(double imbalance) const {
  constexpr int num_half_lags = 40;
  // Before a coupled direction friction has to agree with the forces, so all of it is taken.
  if (num_lags_ < num_whole_lags || wants_coupling()) return 1.0;
  const bool is_far = agrees_ && imbalance > 0.1;
  return num_lags_ < num_half_lags || !is_far ? 0.5 : 0.5 * num_half_lags / num_lags_;
}

template <int dim>
bool FrictionLag<dim>::take_up(Point& point, double share) {
  const int wanted = in_.options.friction.iterations;
  if (!problem_.has_friction() || (wanted > 0 && num_lags_ >= wanted)) return false;
  const bool had_friction = !problem_.friction().is_empty();
  // Sliding before there was any friction does not tell static from kinetic friction: the contact may stick.
  const VecX& x = point.iterate.x;
  const VecX displacement = num_lags_ == 0 ? VecX(VecX::Zero(x.size())) : VecX(x - in_.state.x);
  problem_.lag_friction(point.iterate, displacement, problem_.kappa(), share);
  num_to_skip_ = std::max(0, num_to_skip_ - 1);
  is_fresh_ = share == 1.0 && num_lags_ > 0;
  if (!had_friction && problem_.friction().is_empty()) return false;
  ++num_lags_;
  point.energy = problem_.energy(point.iterate);
  return true;
}

template <int dim>
const FrictionPotential<dim>& FrictionLag<dim>::fresh(const Iterate& iterate) const {
  const bool is_known = fresh_ && fresh_kappa_ == problem_.kappa() && fresh_at_ == iterate.x;
  if (is_known) return *fresh_;
  fresh_.reset();
  fresh_.emplace(problem_.fresh_friction(iterate, in_.state.x));
  fresh_at_ = iterate.x;
  fresh_kappa_ = problem_.kappa();
  return *fresh_;
}

template <int dim>
bool FrictionLag<dim>::lag_again(NewtonState& at) {
  imbalance_ = at.imbalance.value_or(0.0);
  if (imbalance_ < nearer_share * failed_at_) num_to_skip_ = 0;
  if (!take_up(at.point, share(imbalance_))) return false;
  log_.note("friction takes up the present contact forces");
  return true;
}

template <int dim>
bool FrictionLag<dim>::wants_coupling() const {
  return agrees_ && in_.options.friction.iterations == 0 && num_to_skip_ == 0 && !is_over();
}

template <int dim>
void FrictionLag<dim>::note_coupling(bool is_whole) {
  if (is_whole) pause_ = 1;
}

template <int dim>
void FrictionLag<dim>::note_failed_coupling() {
  num_to_skip_ = pause_;
  pause_ *= 2;
  failed_at_ = imbalance_;
}

template class FrictionLag<2>;
template class FrictionLag<3>;

}  // namespace clearance
