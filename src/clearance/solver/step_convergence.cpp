// Whether a step is done: by what is left of the forces, or, as published, by the size of a direction.
#include <algorithm>
#include <utility>

#include "clearance/solver/step.h"

namespace clearance {

namespace {
/// Of the tolerance: what may be left of the last direction.
constexpr double max_untaken = 0.3;
/// After directions that were cut more than this the forces cannot have come to balance.
constexpr double least_taken = 0.5;
/// Share of the forces left from which on Hessians are not projected.
constexpr double exact_imbalance = 1.0;
/// Friction is lagged again before the forces have come to balance with it, from this imbalance on, if it is less than
/// this part of the one with friction that agrees with the contact forces.
constexpr double early_imbalance = 1.0;
constexpr double early_lag_share = 0.3;
}  // namespace

template <int dim>
auto Step<dim>::end(StepStatus status) -> Verdict {
  report_.status = status;
  return Verdict::ended;
}

/// The energy on a detour is above that where it started: no place to end. Neither is one that a contact keeps most of
/// the direction from: scenes with a tolerance above what gravity gains in a step would creep instead of falling.
template <int dim>
auto Step<dim>::judge_direction(bool has_moved) -> Verdict {
  const double untaken = has_moved ? (1.0 - iteration_.alpha) * report_.residual : 0.0;
  const bool is_small =
      report_.residual < options_.tolerance && untaken < max_untaken * options_.tolerance && detour_.length == 0;
  if (!has_reached_targets()) {
    if (!is_small && has_moved) return Verdict::go_on;
    return pull_harder() ? Verdict::again : end(StepStatus::prescribed_motion_blocked);
  }
  const bool is_first_of_lag = std::exchange(is_first_of_lag_, false);
  if (is_small) {
    // Friction again with the forces just found, until a direction is small at once [Fer23, eq. 2.17].
    if ((is_first_of_lag && options_.friction.iterations == 0) || !lag_again()) return end(StepStatus::converged);
    if (report_.friction_iterations > options_.friction.max_iterations) return end(StepStatus::friction_lag_limit);
    is_first_of_lag_ = true;
    return Verdict::again;
  }
  return has_moved ? Verdict::go_on : end(StepStatus::line_search_stalled);
}

/// Friction has to balance with the contact forces and sliding directions that it leads to: it is lagged again as soon
/// as its disagreement is what most of the imbalance comes from.
template <int dim>
auto Step<dim>::judge_forces(bool has_moved) -> Verdict {
  const bool can_be_balanced =
      report_.newton_iterations == 0 || iteration_.alpha >= least_taken || !has_moved || is_friction_fresh_;
  wants_exact_ = false;
  if (detour_.length > 0 || !can_be_balanced) return Verdict::go_on;
  const BalanceVerdict verdict = balance_with(problem_.friction());
  wants_exact_ = verdict.imbalance < std::min(exact_imbalance, exact_limit_);
  // What may be rounding beside stiff forces need not be rounding beside soft ones: one more direction tells.
  if (verdict.is_balanced && verdict.is_by_rounding && has_moved && !std::exchange(is_rounding_known_, true)) {
    return Verdict::go_on;
  }
  if (problem_.augmented().is_active()) {
    if (has_reached_targets()) return Verdict::again;
    if (!verdict.is_balanced && has_moved) return Verdict::go_on;
    return pull_harder() ? Verdict::again : end(StepStatus::prescribed_motion_blocked);
  }
  const bool may_settle = verdict.is_balanced || verdict.imbalance < early_imbalance;
  if (problem_.has_friction() && may_settle && !is_friction_fresh_) {
    const FrictionPotential<dim> fresh = problem_.fresh_friction(current_, state_.x);
    if (!fresh.is_empty() || !problem_.friction().is_empty()) {
      const BalanceVerdict of_fresh = balance_with(fresh);
      if (verdict.is_balanced && of_fresh.is_balanced) return end(StepStatus::converged);
      // Friction that does not come to agree at all: the step ends in balance with the last one.
      const bool is_last = report_.friction_iterations > options_.friction.max_iterations;
      if (is_last && verdict.is_balanced) return end(StepStatus::friction_lag_limit);
      if (!is_last && (verdict.is_balanced || verdict.imbalance < early_lag_share * of_fresh.imbalance)) {
        return lag_again() ? Verdict::again : end(StepStatus::converged);
      }
    }
  }
  if (verdict.is_balanced) return end(StepStatus::converged);
  return has_moved ? Verdict::go_on : end(StepStatus::line_search_stalled);
}

/// Of every body, with `friction` in place of the objective's.
template <int dim>
BalanceVerdict Step<dim>::balance_with(const FrictionPotential<dim>& friction) {
  StageTimer timer(report_.profile, Stage::assembly);
  const BalanceVerdict verdict = balance_.judge(current_.x, problem_.term_gradients(current_, friction), stiffness_,
                                                problem_.is_fixed(), options_.force_tolerance);
  report_.imbalance = verdict.imbalance;
  report_.imbalanced_body = verdict.body;
  return verdict;
}

template Step<2>::Verdict Step<2>::end(StepStatus);
template Step<2>::Verdict Step<2>::judge_direction(bool);
template Step<2>::Verdict Step<2>::judge_forces(bool);
template BalanceVerdict Step<2>::balance_with(const FrictionPotential<2>&);
template Step<3>::Verdict Step<3>::end(StepStatus);
template Step<3>::Verdict Step<3>::judge_direction(bool);
template Step<3>::Verdict Step<3>::judge_forces(bool);
template BalanceVerdict Step<3>::balance_with(const FrictionPotential<3>&);

}  // namespace clearance
