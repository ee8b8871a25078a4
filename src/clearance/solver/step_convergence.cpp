// Convergence of a step: judged by the remaining forces or, as published, by the size of a direction.
#include <algorithm>
#include <utility>

#include "clearance/solver/force_rounding.h"
#include "clearance/solver/step.h"

namespace clearance {

namespace {
/// Share of the tolerance that may be left of the last direction.
constexpr double max_untaken = 0.3;
/// Smallest taken share of a direction after which the forces can have come to balance.
constexpr double least_taken = 0.5;
/// Friction is lagged again before the forces have come to balance with it, from this imbalance on, if it is less than
/// this part of the one with friction that agrees with the contact forces.
constexpr double early_imbalance = 1.0;
constexpr double early_lag_share = 0.3;
/// Share of the remaining motion before a direction below which that after it has fallen...
constexpr double least_fall = 0.9;
/// ... and the share of the size of the body below which it need not fall any more.
constexpr double tiny_motion = 1e-9;
/// An imbalance below this part of the force tolerance is not worth a factorisation at the start of a step: bodies at
/// rest keep that much. By default it is a millionth of the forces within a body, and a ten-millionth of its weight.
constexpr double negligible_share = 1e-3;
}  // namespace

template <int dim>
auto Step<dim>::end(StepStatus status) -> Verdict {
  const bool is_settled = status == StepStatus::converged || status == StepStatus::friction_lag_limit;
  if (is_settled && pull_.hold_if_straining(now_.point)) {
    friction_.note_motion();
    return Verdict::again;
  }
  now_.status = is_settled && pull_.is_held() ? StepStatus::prescribed_motion_blocked : status;
  return Verdict::ended;
}

/// Judges the step by the size of the last direction, as published. A step does not end on a detour, where the energy
/// is above that at its start, nor where a contact keeps most of the direction from being taken: scenes with a
/// tolerance above what gravity gains in a step would creep instead of falling.
template <int dim>
auto Step<dim>::judge_direction() -> Verdict {
  const double tolerance = in_.options.tolerance;
  const double untaken = now_.has_moved ? (1.0 - now_.last.alpha) * now_.residual : 0.0;
  const bool is_small = now_.residual < tolerance && untaken < max_untaken * tolerance && !search_.is_on_detour();
  if (!pull_.has_arrived(now_.point)) {
    if (!is_small && now_.has_moved) return Verdict::go_on;
    return pull_.pull_harder(now_.point) ? Verdict::again : end(StepStatus::prescribed_motion_blocked);
  }
  const bool is_first_of_lag = std::exchange(is_first_of_lag_, false);
  if (is_small) {
    // Friction is lagged again with the forces just found, until a direction is small at once [Fer23, eq. 2.17].
    if ((is_first_of_lag && in_.options.friction.iterations == 0) || !friction_.lag_again(now_)) {
      return end(StepStatus::converged);
    }
    if (friction_.is_over()) return end(StepStatus::friction_lag_limit);
    is_first_of_lag_ = true;
    return Verdict::again;
  }
  return now_.has_moved ? Verdict::go_on : end(StepStatus::line_search_stalled);
}

template <int dim>
auto Step<dim>::judge_forces() -> Verdict {
  const bool can_be_balanced =
      now_.num_directions == 0 || now_.last.alpha >= least_taken || !now_.has_moved || friction_.is_fresh();
  newton_.want_exact(false, 0.0);
  if (pull_.hold_if_strained_for_long(now_.point)) {
    friction_.note_motion();
    return Verdict::again;
  }
  if (search_.is_on_detour() || !can_be_balanced) return Verdict::go_on;
  TermGradients forces = term_gradients();
  const BalanceVerdict verdict = judge_balance(forces);
  newton_.want_exact(true, verdict.imbalance);
  // A remainder that may be rounding beside stiff forces need not be rounding beside soft ones: one more direction
  // tells. If nothing moves and nothing is loaded, there are no soft forces.
  if (verdict.is_balanced && verdict.is_by_rounding && now_.has_moved && !problem_.is_unloaded(forces) &&
      !std::exchange(is_rounding_known_, true)) {
    return Verdict::go_on;
  }
  // While scripted nodes are pulled, balanced forces only mean that the pull has to become harder.
  if (problem_.augmented().is_active()) {
    if (pull_.has_arrived(now_.point)) {
      friction_.note_motion();
      return Verdict::again;
    }
    if (!verdict.is_balanced && now_.has_moved) return Verdict::go_on;
    if (!pull_.pull_harder(now_.point)) return end(StepStatus::prescribed_motion_blocked);
    if (pull_.is_held()) friction_.note_motion();
    return Verdict::again;
  }
  if (const Verdict by_friction = judge_friction(verdict, forces); by_friction != Verdict::go_on) return by_friction;
  if (!now_.has_moved) return end(verdict.is_balanced ? StepStatus::converged : StepStatus::line_search_stalled);
  return verdict.is_balanced && is_settled(forces) ? end(StepStatus::converged) : Verdict::go_on;
}

/// Judges whether friction balances with the contact forces and sliding directions that it leads to. It is lagged again
/// as soon as its disagreement causes most of the imbalance. `verdict` is that of the lagged friction, and `forces`
/// contain the lagged friction.
template <int dim>
auto Step<dim>::judge_friction(const BalanceVerdict& verdict, TermGradients& forces) -> Verdict {
  const bool may_settle = verdict.is_balanced || verdict.imbalance < early_imbalance;
  if (!problem_.has_friction() || !may_settle || friction_.is_fresh()) return Verdict::go_on;
  const FrictionPotential<dim> fresh = friction_.fresh(now_.point.iterate);
  if (fresh.is_empty() && problem_.friction().is_empty()) return Verdict::go_on;
  // The balance is judged once more with the friction that agrees with the present forces.
  const VecX lagged = std::exchange(forces.friction, problem_.friction_gradient(now_.point.iterate, fresh));
  const BalanceVerdict of_fresh = judge_balance(forces);
  forces.friction = lagged;
  if (verdict.is_balanced && of_fresh.is_balanced) return Verdict::go_on;
  // If friction does not come to agree at all, the step ends in balance with the last one.
  if (friction_.is_over()) return verdict.is_balanced ? end(StepStatus::friction_lag_limit) : Verdict::go_on;
  if (!verdict.is_balanced && !(verdict.imbalance < early_lag_share * of_fresh.imbalance)) return Verdict::go_on;
  if (friction_.lag_again(now_)) return Verdict::again;
  // If this was the last of the wanted lags, the remaining forces still have to balance with it.
  return Verdict::go_on;
}

/// Returns the gradients of all terms at the present point, with friction as lagged.
template <int dim>
TermGradients Step<dim>::term_gradients() {
  StageTimer timer(log_.profile(), Stage::assembly);
  return problem_.term_gradients(now_.point.iterate, problem_.friction());
}

/// Judges the balance of forces of every body and keeps the largest imbalance.
template <int dim>
BalanceVerdict Step<dim>::judge_balance(const TermGradients& forces) {
  StageTimer timer(log_.profile(), Stage::assembly);
  const std::vector<char>& held = problem_.held_components();
  TermGradients free;
  if (!held.empty()) free = forces.template without<dim>(held);
  const TermGradients& of_free = held.empty() ? forces : free;
  const BalanceVerdict verdict = balance_.judge(now_.point.iterate.x, of_free, newton_.stiffness(), problem_.is_fixed(),
                                                in_.options.force_tolerance);
  now_.imbalance = verdict.imbalance;
  now_.imbalanced_body = verdict.body;
  return verdict;
}

/// True if the motion that `forces` would still cause is small beside the motion that they have caused. Without a
/// factor at hand the next direction decides, unless inertia alone holds every body in place.
template <int dim>
bool Step<dim>::is_settled(const TermGradients& forces) {
  const VecX& x = now_.point.iterate.x;
  const VecX gradient = problem_.free_sum(in_.coordinates(), x, forces);
  const std::vector<double> negligible = remaining_.negligible_motion(x, forces, problem_.is_fixed());
  if (newton_.has_factor()) {
    VecX dy;
    return !newton_.solve_again(gradient, dy) || is_settled(dy, negligible);
  }
  // Without a factor, a tiny imbalance or inertia alone tells that nothing moves; otherwise the next direction decides.
  if (*now_.imbalance <= negligible_share * in_.options.force_tolerance) return true;
  const VecX rounding = force_rounding<dim>(in_.model, in_.coordinates(), x, newton_.stiffness());
  if (remaining_.is_held_by_inertia(x, gradient, rounding, negligible)) return true;
  is_balanced_ = true;
  return false;
}

/// True if the remaining motion `dy` is small. If no force resists some motion, `dy` is arbitrary in it and tells
/// nothing. A tiny remainder that does not decrease is rounding that a nearly singular system makes large.
template <int dim>
bool Step<dim>::is_settled(const VecX& dy, const std::vector<double>& negligible) {
  if (newton_.is_shifted()) return true;
  const MotionVerdict verdict =
      remaining_.judge(now_.point.iterate.x, dy, problem_.is_fixed(), in_.options.force_tolerance, negligible);
  const bool is_less = verdict.share < least_fall * least_remaining_;
  least_remaining_ = std::min(least_remaining_, verdict.share);
  return verdict.is_small || (!is_less && verdict.length <= tiny_motion * verdict.size);
}

template Step<2>::Verdict Step<2>::end(StepStatus);
template Step<2>::Verdict Step<2>::judge_direction();
template Step<2>::Verdict Step<2>::judge_forces();
template Step<2>::Verdict Step<2>::judge_friction(const BalanceVerdict&, TermGradients&);
template TermGradients Step<2>::term_gradients();
template BalanceVerdict Step<2>::judge_balance(const TermGradients&);
template bool Step<2>::is_settled(const TermGradients&);
template bool Step<2>::is_settled(const VecX&, const std::vector<double>&);
template Step<3>::Verdict Step<3>::end(StepStatus);
template Step<3>::Verdict Step<3>::judge_direction();
template Step<3>::Verdict Step<3>::judge_forces();
template Step<3>::Verdict Step<3>::judge_friction(const BalanceVerdict&, TermGradients&);
template TermGradients Step<3>::term_gradients();
template BalanceVerdict Step<3>::judge_balance(const TermGradients&);
template bool Step<3>::is_settled(const TermGradients&);
template bool Step<3>::is_settled(const VecX&, const std::vector<double>&);

}  // namespace clearance
