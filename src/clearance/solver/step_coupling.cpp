// Newton's method for contact forces and friction at once. Friction lagged again and again is a fixed-point iteration,
// which converges slowly or not at all where friction loads the contacts that it comes from (wedges, jammed links).
// Near the solution its derivative by normal forces, directions and points of the contacts is in reach: with A the
// factorised matrix and C that derivative, which is not symmetric, the direction solves (A + C) dy = -g by GMRES,
// preconditioned by A. No objective belongs to it, so that it is taken only if it lowers the imbalance with friction
// that agrees. Beyond a fold of the coupled problem, where no solution is near, it fails and lagging goes on.
#include "clearance/math/gmres.h"
#include "clearance/model/blocks.h"
#include "clearance/solver/step.h"

namespace clearance {

namespace {
constexpr double coupling_tolerance = 1e-3;
constexpr int max_coupling_iterations = 20;
/// [smallest gap] what derivatives of friction are differences over.
constexpr double difference = 1e-4;
/// Of what a linear system would take from the imbalance: what a part of a coupled direction must.
constexpr double least_progress = 0.5;
constexpr double least_part = 0.25;
}  // namespace

/// GMRES solves with the factor again and again; iterative solvers have none.
template <int dim>
bool Step<dim>::can_couple() const {
  if (system_.solver().counters().num_iterations > counters_t0_.num_iterations) return false;
  return wants_coupling() && is_friction_fresh_ && !problem_.friction().is_empty() && problem_.secant_share() == 0.0 &&
         detour_.length == 0;
}

/// In Newton's unknowns; zero where they are fixed.
template <int dim>
VecX Step<dim>::reduce_free(const VecX& x, const VecX& gradient) const {
  VecX reduced = coordinates_.reduce(x, gradient);
  clear_blocks<dim>(coordinates_.reduce(problem_.is_fixed()), reduced);
  return reduced;
}

/// Of the objective with `friction` in place of its own.
template <int dim>
VecX Step<dim>::gradient_with(const Iterate& iterate, const FrictionPotential<dim>& friction) const {
  VecX sum = VecX::Zero(iterate.x.size());
  for (const VecX& term : problem_.term_gradients(iterate, friction)) sum += term;
  return reduce_free(iterate.x, sum);
}

/// How the gradient changes along d because friction follows normal forces, directions and points of contacts: a
/// difference of the friction that agrees a little further on and the lagged one there.
template <int dim>
VecX Step<dim>::friction_change(const VecX& d) const {
  const VecX dx = coordinates_.expand(current_.x, d);
  const double longest = dx.cwiseAbs().maxCoeff();
  if (!(longest > 0.0)) return VecX::Zero(d.size());
  const double part = difference * current_.contacts.min_distance / longest;
  Iterate shifted;
  shifted.x = current_.x + part * dx;
  shifted.x_surface = model_.surface_map.apply(shifted.x);
  shifted.contacts = current_.contacts;
  VecX agreed = VecX::Zero(dx.size()), lagged = agreed;
  problem_.fresh_friction(shifted, state_.x).add_gradient(shifted.x_surface, agreed);
  problem_.friction().add_gradient(shifted.x_surface, lagged);
  return reduce_free(current_.x, (agreed - lagged) / part);
}

/// From the direction of the lagged problem that of the coupled one; whether it is any good is for the search to tell.
template <int dim>
VecX Step<dim>::coupled(const VecX& dy) {
  StageTimer timer(report_.profile, Stage::linear_solve);
  const auto apply = [&](const VecX& d) {
    VecX solved;
    const bool is_solved = system_.solver().solve(friction_change(d), solved) == LinearSolveStatus::solved;
    return is_solved ? solved : VecX(VecX::Zero(d.size()));
  };
  return solve_identity_plus(apply, dy, coupling_tolerance, max_coupling_iterations);
}

/// Goes along the coupled direction, and friction agrees with the forces there, if that brings them nearer to balance:
/// if what Newton with the present matrix would still have to go falls (the natural monotonicity test of Deuflhard).
template <int dim>
bool Step<dim>::follow_coupled(const VecX& lagged_dy) {
  if (!can_couple()) return false;
  const VecX dy = coupled(lagged_dy);
  for (double part = 1.0; dy.allFinite() && part >= least_part; part *= 0.25) {
    Direction direction;
    direction.dy = part * dy;
    bound_bent(direction);
    VecX x = coordinates_.move(current_.x, direction.dy, direction.alpha_limit);
    if (!problem_.is_feasible(x)) continue;
    Iterate trial = problem_.make_iterate(std::move(x), direction.candidates);
    VecX left;
    const bool is_solved = system_.solver().solve(gradient_with(trial, problem_.fresh_friction(trial, state_.x)),
                                                  left) == LinearSolveStatus::solved;
    if (!is_solved || !(left.norm() <= (1.0 - least_progress * part) * lagged_dy.norm())) continue;
    current_ = std::move(trial);
    iteration_.alpha = iteration_.alpha_limit = part * direction.alpha_limit;
    take_up_friction(1.0);
    iteration_.event = "forces and friction at once";
    if (part == 1.0) coupling_.pause = 1;
    return true;
  }
  coupling_.num_to_skip = coupling_.pause;
  coupling_.pause *= 2;
  return false;
}

template bool Step<2>::can_couple() const;
template VecX Step<2>::reduce_free(const VecX&, const VecX&) const;
template VecX Step<2>::gradient_with(const Iterate&, const FrictionPotential<2>&) const;
template VecX Step<2>::friction_change(const VecX&) const;
template VecX Step<2>::coupled(const VecX&);
template bool Step<2>::follow_coupled(const VecX&);
template bool Step<3>::can_couple() const;
template VecX Step<3>::reduce_free(const VecX&, const VecX&) const;
template VecX Step<3>::gradient_with(const Iterate&, const FrictionPotential<3>&) const;
template VecX Step<3>::friction_change(const VecX&) const;
template VecX Step<3>::coupled(const VecX&);
template bool Step<3>::follow_coupled(const VecX&);

}  // namespace clearance
