#include "clearance/solver/step.h"

#include <fmt/format.h>

#include <cmath>

namespace clearance {

/// Goes along dy as far as that is feasible and lowers the energy.
template <int dim>
bool Step<dim>::follow(const VecX& dy) {
  is_friction_fresh_ = false;
  Direction direction;
  direction.dy = dy;
  bound_bent(direction);
  iteration_.alpha_limit = direction.alpha_limit;
  return take_detour(direction) || search_line(direction);
}

/// Near the minimum the decrease drowns in the rounding of the energies of single elements, which no summation can
/// mend. There the slopes decide, which are far more exact: the step is good if the objective falls by the trapezoidal
/// rule (the approximate Wolfe condition of [Hag05]). Rounding has been seen up to 1e-12 of the terms.
template <int dim>
bool Step<dim>::is_decrease_hidden(const Iterate& trial, const VecX& dy, double change) const {
  if (!(change <= 1e-11 * problem_.energy_magnitude(current_))) return false;
  return problem_.slope(trial, coordinates_.expand(trial.x, dy)) <= 0.8 * std::abs(gradient_.dot(dy));
}

/// Halves alpha until the energy falls; moves the current iterate there. False if it never falls.
template <int dim>
bool Step<dim>::search_line(const Direction& direction) {
  StageTimer timer(report_.profile, Stage::line_search);
  const double size = length(direction.dy);
  const double smallest_motion = 1e-16 * model_.bbox_diagonal;
  for (double alpha = direction.alpha_limit; alpha * size > smallest_motion || alpha == direction.alpha_limit;
       alpha *= 0.5) {
    VecX x = coordinates_.move(current_.x, direction.dy, alpha);
    if (problem_.is_feasible(x)) {
      Iterate trial = problem_.make_iterate(std::move(x), direction.candidates);
      const CompensatedSum energy = problem_.energy(trial);
      ++report_.counters.energy_evaluations;
      // Compared as a difference of compensated sums, so that a decrease far below the energy itself is still seen.
      const double change = (energy.sum - current_energy_.sum) + (energy.correction - current_energy_.correction);
      // Beyond Newton's direction only where the energy falls faster than a parabola would.
      const bool is_beyond = alpha * reach_.tried > 1.0;
      const bool is_lower = is_beyond ? change <= -0.5 * alpha * std::abs(gradient_.dot(direction.dy))
                                      : change <= 0.0 || is_decrease_hidden(trial, direction.dy, change);
      if (is_lower) {
        const Contact* stiffened = problem_.adapt_kappa(current_, trial);
        if (stiffened) {
          iteration_.event =
              fmt::format("barrier stiffness {:.3g} for {}", problem_.kappa(), describe(*stiffened, model_.surface));
        }
        current_ = std::move(trial);
        current_energy_ = stiffened ? problem_.energy(current_) : energy;
        iteration_.alpha = alpha;
        return true;
      }
    }
    if (alpha == 0.0) break;
  }
  return false;
}

/// Contacts that slide along curved surfaces bend away from a straight direction: its end has a higher energy, and the
/// line search cuts it again and again (the Maratos effect). Then the direction is taken as far as it is feasible,
/// whatever the energy; the next ones must lead below where it started, or the search goes back there (the watchdog
/// technique of [Cha82]).
template <int dim>
bool Step<dim>::take_detour(const Direction& direction) {
  if (!detour_.is_allowed || !detour_.is_wanted || detour_.length > 0 || problem_.augmented().is_active()) return false;
  VecX x = coordinates_.move(current_.x, direction.dy, direction.alpha_limit);
  if (!problem_.is_feasible(x)) return false;
  Iterate trial = problem_.make_iterate(std::move(x), direction.candidates);
  const CompensatedSum energy = problem_.energy(trial);
  ++report_.counters.energy_evaluations;
  // A direction that leads down needs no detour.
  if (!std::isfinite(energy.value()) || energy.value() < current_energy_.value()) return false;
  detour_.length = 1;
  iteration_.event = "taken as far as it is feasible, although the energy rises";
  detour_.start = std::move(current_);
  detour_.gradient = gradient_;
  detour_.direction = direction;
  current_ = std::move(trial);
  current_energy_ = energy;
  iteration_.alpha = direction.alpha_limit;
  return true;
}

/// After an iteration: ends a detour that leads below where it started, or goes back there if it does not in time.
/// False if the current iterate has not moved.
template <int dim>
bool Step<dim>::follow_detour(bool has_moved) {
  constexpr int max_length = 2;
  detour_.is_wanted = iteration_.alpha < 0.1 * iteration_.alpha_limit;
  if (detour_.length == 0) return has_moved;
  // Evaluated anew: the barrier may have become stiffer on the way.
  const CompensatedSum at_start = problem_.energy(detour_.start);
  const double change = (current_energy_.sum - at_start.sum) + (current_energy_.correction - at_start.correction);
  if (change < 0.0) {
    detour_.length = 0;
    return true;
  }
  if (has_moved && ++detour_.length <= max_length) return true;
  detour_.length = 0;
  detour_.is_allowed = false;
  current_ = std::move(detour_.start);
  current_energy_ = at_start;
  gradient_ = detour_.gradient;
  iteration_.alpha_limit = detour_.direction.alpha_limit;
  return search_line(detour_.direction);
}

template bool Step<2>::follow(const VecX&);
template bool Step<2>::is_decrease_hidden(const Iterate&, const VecX&, double) const;
template bool Step<2>::search_line(const Step<2>::Direction&);
template bool Step<2>::take_detour(const Step<2>::Direction&);
template bool Step<2>::follow_detour(bool);
template bool Step<3>::follow(const VecX&);
template bool Step<3>::is_decrease_hidden(const Iterate&, const VecX&, double) const;
template bool Step<3>::search_line(const Step<3>::Direction&);
template bool Step<3>::take_detour(const Step<3>::Direction&);
template bool Step<3>::follow_detour(bool);

}  // namespace clearance
