#include "clearance/solver/force_criterion.h"

#include <algorithm>
#include <utility>

#include "clearance/solver/force_rounding.h"

namespace clearance {

namespace {
/// Smallest taken share of a direction after which the forces can have come to balance.
constexpr double least_taken = 0.5;
/// Friction is lagged again before the forces have come to balance with it, from this imbalance on, if it is less than
/// this part of the one with friction that agrees with the contact forces.
constexpr double early_imbalance = 1.0;
constexpr double early_lag_share = 0.3;
/// The remaining motion has fallen if it is below this share of that before a direction,
constexpr double least_fall = 0.9;
/// and it need not fall any more below this share of the size of the body.
constexpr double tiny_motion = 1e-9;
/// An imbalance below this part of the force tolerance is not worth a factorisation at the start of a step: bodies at
/// rest keep that much. By default it is a millionth of the forces within a body, and a ten-millionth of its weight.
constexpr double negligible_share = 1e-3;
}  // namespace

template <int dim>
ForceCriterion<dim>::ForceCriterion(const JudgedParts<dim>& parts)
    : ConvergenceCriterion<dim>(parts),
      balance_(parts.in.model, parts.in.coordinates()),
      remaining_(parts.in.model, parts.in.coordinates(), parts.problem.target(), parts.in.state.x) {}

template <int dim>
Verdict ForceCriterion<dim>::before_direction(NewtonState& now) {
  const bool can_be_balanced =
      now.num_directions == 0 || now.last.alpha >= least_taken || !now.has_moved || parts_.friction.is_fresh();
  parts_.newton.want_exact(false, 0.0);
  if (parts_.pull.hold_if_strained_for_long(now.point)) {
    parts_.friction.note_motion();
    return Verdict::again;
  }
  if (parts_.search.is_on_detour()) return Verdict::go_on;
  if (!can_be_balanced) return is_cut_by_rounding(now) ? this->end(StepStatus::converged, now) : Verdict::go_on;
  TermGradients forces = term_gradients(now.point.iterate);
  const BalanceVerdict verdict = judge_balance(forces, now);
  parts_.newton.want_exact(true, std::min(verdict.imbalance, verdict.beside_reactions));
  // A remainder that may be rounding beside stiff forces need not be rounding beside soft ones: one more direction
  // tells. If nothing moves and nothing is loaded, there are no soft forces.
  if (verdict.is_balanced && verdict.is_by_rounding && now.has_moved && !parts_.problem.is_unloaded(forces) &&
      !std::exchange(is_rounding_known_, true)) {
    return Verdict::go_on;
  }
  if (parts_.problem.augmented().is_active()) return judge_pulled(verdict, now);
  if (const Verdict by_friction = judge_friction(verdict, forces, now); by_friction != Verdict::go_on)
    return by_friction;
  if (!now.has_moved)
    return this->end(verdict.is_balanced ? StepStatus::converged : StepStatus::line_search_stalled, now);
  if (!verdict.is_balanced || !is_settled(forces, now)) return Verdict::go_on;
  const Verdict verdict_at_end = this->end(StepStatus::converged, now);
  if (verdict_at_end == Verdict::ended) now.forces_at_end = std::move(forces);
  return verdict_at_end;
}

/// Judges while scripted nodes are pulled: balanced forces only mean that the pull has to become harder.
template <int dim>
Verdict ForceCriterion<dim>::judge_pulled(const BalanceVerdict& verdict, NewtonState& now) {
  if (parts_.pull.has_arrived(now.point)) {
    parts_.friction.note_motion();
    return Verdict::again;
  }
  if (!verdict.is_balanced && now.has_moved) return Verdict::go_on;
  if (!parts_.pull.pull_harder(now.point)) return this->end(StepStatus::prescribed_motion_blocked, now);
  if (!parts_.problem.augmented().is_active()) parts_.friction.note_motion();
  return Verdict::again;
}

/// Judges whether friction balances with the contact forces and sliding directions that it leads to. It is lagged again
/// as soon as its disagreement causes most of the imbalance. `verdict` is that of the lagged friction, and `forces`
/// contain the lagged friction.
template <int dim>
Verdict ForceCriterion<dim>::judge_friction(const BalanceVerdict& verdict, TermGradients& forces, NewtonState& now) {
  const bool may_settle = verdict.is_balanced || verdict.imbalance < early_imbalance;
  if (!parts_.problem.has_friction() || !may_settle || parts_.friction.is_fresh()) return Verdict::go_on;
  const FrictionPotential<dim>& fresh = parts_.friction.fresh(now.point.iterate);
  if (fresh.is_empty() && parts_.problem.friction().is_empty()) return Verdict::go_on;
  // The balance is judged once more with the friction that agrees with the present forces.
  const VecX lagged = std::exchange(forces.friction, parts_.problem.friction_gradient(now.point.iterate, fresh));
  const BalanceVerdict of_fresh = judge_balance(forces, now);
  forces.friction = lagged;
  if (verdict.is_balanced && of_fresh.is_balanced) return Verdict::go_on;
  // If friction does not come to agree at all, the step ends in balance with the last one.
  if (parts_.friction.is_over())
    return verdict.is_balanced ? this->end(StepStatus::friction_lag_limit, now) : Verdict::go_on;
  if (!verdict.is_balanced && !(verdict.imbalance < early_lag_share * of_fresh.imbalance)) return Verdict::go_on;
  if (parts_.friction.lag_again(now)) return Verdict::again;
  // If this was the last of the wanted lags, the remaining forces still have to balance with it.
  return Verdict::go_on;
}

/// Returns the gradients of all terms at the present point, with friction as lagged.
template <int dim>
TermGradients ForceCriterion<dim>::term_gradients(const Iterate& iterate) {
  StageTimer timer(parts_.log.profile(), Stage::assembly);
  return parts_.problem.term_gradients(iterate, parts_.problem.friction());
}

/// Judges the balance of forces of every body and keeps the largest imbalance.
template <int dim>
BalanceVerdict ForceCriterion<dim>::judge_balance(const TermGradients& forces, NewtonState& now) {
  StageTimer timer(parts_.log.profile(), Stage::assembly);
  const FixedBlocks fixed{parts_.problem.is_fixed(), parts_.problem.held_components()};
  const BalanceVerdict verdict =
      balance_.judge(now.point.iterate.x, forces, parts_.newton.stiffness(), fixed, parts_.in.options.force_tolerance);
  now.imbalance = verdict.imbalance;
  now.imbalanced_body = verdict.body;
  return verdict;
}

/// True if the motion that `forces` would still cause is small beside the motion that they have caused. Without a
/// factor at hand the next direction decides, unless inertia alone holds every body in place.
template <int dim>
bool ForceCriterion<dim>::is_settled(const TermGradients& forces, const NewtonState& now) {
  const VecX& x = now.point.iterate.x;
  const VecX gradient = parts_.problem.free_sum(parts_.in.coordinates(), x, forces);
  const std::vector<double> negligible = remaining_.negligible_motion(x, forces, parts_.problem.is_fixed());
  if (parts_.newton.has_factor()) {
    VecX dy;
    return !parts_.newton.solve_again(gradient, dy) || is_small(x, dy, negligible) ||
           (!falls_ && is_rounding(x, gradient));
  }
  // Without a factor, a tiny imbalance or inertia alone tells that nothing moves; otherwise the next direction decides.
  if (*now.imbalance <= negligible_share * parts_.in.options.force_tolerance) return true;
  const VecX rounding = force_rounding<dim>(parts_.in.model, parts_.in.coordinates(), x, parts_.newton.stiffness());
  if (remaining_.is_held_by_inertia(x, gradient, rounding, negligible)) return true;
  is_balanced_ = true;
  return false;
}

/// True without inertia if the forces that are left are rounding of those that cancel in every block, so that no
/// direction can make them less. Where nothing is at work and bending is far softer than stretch, the motion that they
/// would cause is above any share of the motion in the step.
template <int dim>
bool ForceCriterion<dim>::is_rounding(const VecX& x, const VecX& gradient) const {
  if (parts_.problem.target().has_inertia) return false;
  const VecX rounding = force_rounding<dim>(parts_.in.model, parts_.in.coordinates(), x, parts_.newton.stiffness());
  return remaining_.is_held_by_inertia(x, gradient, rounding, {});
}

/// True if forces had come to balance before the last direction, of which little was taken, and are rounding.
template <int dim>
bool ForceCriterion<dim>::is_cut_by_rounding(NewtonState& now) {
  if (parts_.problem.target().has_inertia || parts_.problem.augmented().is_active() || parts_.problem.has_friction())
    return false;
  if (!now.imbalance || !(*now.imbalance <= parts_.in.options.force_tolerance)) return false;
  const TermGradients forces = term_gradients(now.point.iterate);
  const VecX& x = now.point.iterate.x;
  return judge_balance(forces, now).is_balanced &&
         is_rounding(x, parts_.problem.free_sum(parts_.in.coordinates(), x, forces));
}

/// True if the remaining motion `dy` is small. If no force resists some motion, `dy` is arbitrary in it and tells
/// nothing. A tiny remainder that does not decrease is rounding that a nearly singular system makes large.
template <int dim>
bool ForceCriterion<dim>::is_small(const VecX& x, const VecX& dy, const std::vector<double>& negligible) {
  if (parts_.newton.is_shifted()) return true;
  const MotionVerdict verdict =
      remaining_.judge(x, dy, parts_.problem.is_fixed(), parts_.in.options.force_tolerance, negligible);
  falls_ = verdict.share < least_fall * least_remaining_;
  least_remaining_ = std::min(least_remaining_, verdict.share);
  return verdict.is_small || (!falls_ && verdict.length <= tiny_motion * verdict.size);
}

/// A direction at hand is taken even if it is negligible, so that a body at rest needs none in the next step.
template <int dim>
Verdict ForceCriterion<dim>::at_direction(const VecX* dy, NewtonState& now) {
  if (!std::exchange(is_balanced_, false)) return Verdict::go_on;
  if (dy != nullptr && !is_small(now.point.iterate.x, *dy, {})) return Verdict::go_on;
  now.status = StepStatus::converged;
  parts_.log.clear_limit();
  return Verdict::ended;
}

template class ForceCriterion<2>;
template class ForceCriterion<3>;

}  // namespace clearance
