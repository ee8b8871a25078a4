#include "clearance/solver/line_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "clearance/solver/accepted_move.h"

namespace clearance {

template <int dim>
Followed LineSearch<dim>::follow(const Direction& feasible, const VecX& gradient, NewtonState& at) {
  Followed followed;
  followed.alpha_limit = feasible.share * feasible.alpha_limit;
  followed.limited_by = feasible.limited_by;
  // A detour takes the feasible part at once; otherwise the line search cuts it until the energy falls.
  const bool is_taken =
      start_detour(feasible, gradient, at.point, followed) || search(feasible, gradient, at.point, followed);
  followed.has_moved = end_detour(is_taken, at.point, followed);
  measure_reach(at, followed);
  return followed;
}

template <int dim>
void LineSearch<dim>::skip(const NewtonState& at) {
  reach_ = {1.0, at.last.alpha, at.imbalance.value_or(0.0), at.residual};
}

template <int dim>
void LineSearch<dim>::give_up_detour(Point& point) {
  point = std::move(detour_.start);
  detour_.length = 0;
}

template <int dim>
double LineSearch<dim>::choose_reach(const NewtonState& at, bool is_exact) {
  constexpr double largest = 64.0, stagnation = 0.9;
  // Directions stagnate if neither their length nor the imbalance falls; twice the length is then tried.
  const bool is_stagnant =
      at.residual > 0.5 * reach_.residual && (!at.imbalance || *at.imbalance > stagnation * reach_.imbalance);
  const bool is_crawling = is_stagnant && !is_exact && reach_.taken >= 1.0 && detour_.length == 0 && !detour_.is_wanted;
  reach_.tried = is_crawling ? std::min(largest, 2.0 * std::min(reach_.tried, reach_.taken)) : 1.0;
  return reach_.tried;
}

/// Converts the fractions of a direction that was followed at `reach_.tried` times its length to fractions of Newton's
/// direction.
template <int dim>
void LineSearch<dim>::measure_reach(const NewtonState& at, Followed& followed) {
  if (reach_.tried > 1.0) {
    followed.alpha *= reach_.tried;
    followed.alpha_limit = std::min(reach_.tried * followed.alpha_limit, std::max(1.0, followed.alpha));
    // A fraction below the one that was tried does not count against the direction if it is at least Newton's whole
    // direction.
    if (followed.alpha >= 1.0) detour_.is_wanted = false;
  }
  reach_ = {reach_.tried, followed.alpha, at.imbalance.value_or(0.0), at.residual};
}

/// True if a decrease is hidden by rounding. Near the minimum it drowns in the rounding of the energies of single
/// elements, which no summation can mend. The slopes are far more exact and decide there: the step is good if the
/// objective falls by the trapezoidal rule (the approximate Wolfe condition of [Hag05]). Rounding has been seen up to
/// 1e-12 of the terms.
template <int dim>
bool LineSearch<dim>::is_decrease_hidden(double magnitude, const Iterate& trial, const VecX& dy, double slope,
                                         double change) const {
  if (!(change <= 1e-11 * magnitude)) return false;
  return problem_.slope(trial, in_.coordinates().expand(trial.x, dy)) <= 0.8 * slope;
}

/// Returns half of alpha. A direction that is corrected for joints is corrected anew for half of what was tried.
template <int dim>
double LineSearch<dim>::halve(const Iterate& from, const VecX& gradient, double alpha, Direction& direction) {
  if (direction.linear.size() == 0) return 0.5 * alpha;
  std::optional<Direction> shorter = bound_.shortened(from, gradient, direction, 0.5 * alpha * direction.share);
  if (!shorter) return 0.5 * alpha;
  direction = *std::move(shorter);
  return direction.alpha_limit;
}

/// Halves alpha until the energy falls; moves the point there. False if it never falls.
template <int dim>
bool LineSearch<dim>::search(Direction direction, const VecX& gradient, Point& point, Followed& followed) {
  StageTimer timer(log_.profile(), Stage::line_search);
  const double smallest_motion = 1e-16 * in_.model.bbox_diagonal;
  // Magnitude of the energies at the start, computed when it is first needed.
  std::optional<double> magnitude;
  bool is_first = true;
  for (double alpha = direction.alpha_limit;
       is_first || alpha * bound_.length(point.iterate.x, direction.dy) > smallest_motion;
       alpha = halve(point.iterate, gradient, alpha, direction)) {
    is_first = false;
    const double slope = std::abs(gradient.dot(direction.dy));
    VecX x = in_.coordinates().move(point.iterate.x, direction.dy, alpha);
    if (problem_.is_feasible(x)) {
      Iterate trial = problem_.make_iterate(std::move(x), direction.candidates);
      const CompensatedSum energy = problem_.energy(trial);
      log_.count_energy_evaluation();
      const double change = change_of(point.energy, energy);
      // Beyond Newton's direction only where the energy falls faster than a parabola would.
      const bool is_beyond = alpha * direction.share * reach_.tried > 1.0;
      if (!is_beyond && !(change <= 0.0) && !magnitude) magnitude = problem_.energy_magnitude(point.iterate);
      const bool is_lower = is_beyond
                                ? change <= -0.5 * alpha * slope
                                : change <= 0.0 || is_decrease_hidden(*magnitude, trial, direction.dy, slope, change);
      if (is_lower) {
        const Contact* stiffened = problem_.adapt_kappa(point.iterate, trial);
        if (stiffened) {
          followed.event = fmt::format("barrier stiffness {:.3g} for {}", problem_.kappa(),
                                       contact_text(*stiffened, in_.model.surface));
        }
        MoveListener::note(in_, point.iterate.x, trial.x, direction.dy, alpha);
        point.iterate = std::move(trial);
        point.energy = stiffened ? problem_.energy(point.iterate) : energy;
        followed.alpha = alpha * direction.share;
        return true;
      }
    }
    if (alpha == 0.0) break;
  }
  return false;
}

/// True if the direction is taken as a detour.
template <int dim>
bool LineSearch<dim>::start_detour(const Direction& direction, const VecX& gradient, Point& point, Followed& followed) {
  if (!detour_.is_allowed || !detour_.is_wanted || detour_.length > 0 || problem_.augmented().is_active()) return false;
  VecX x = in_.coordinates().move(point.iterate.x, direction.dy, direction.alpha_limit);
  if (!problem_.is_feasible(x)) return false;
  Iterate trial = problem_.make_iterate(std::move(x), direction.candidates);
  const CompensatedSum energy = problem_.energy(trial);
  log_.count_energy_evaluation();
  // A direction that leads down needs no detour.
  if (!std::isfinite(energy.value()) || energy.value() < point.energy.value()) return false;
  followed.event = "taken as far as it is feasible, although the energy rises";
  followed.alpha = direction.share * direction.alpha_limit;
  MoveListener::note(in_, point.iterate.x, trial.x, direction.dy, direction.alpha_limit);
  detour_.start = std::move(point);
  detour_.gradient = gradient;
  detour_.direction = direction;
  detour_.direction.linear.resize(0);  // the factor will be another one
  detour_.length = 1;
  point = {std::move(trial), energy};
  return true;
}

/// Ends a detour after an iteration if it leads below its start, or goes back to the start if it does not in time.
/// False if the point has not moved.
template <int dim>
bool LineSearch<dim>::end_detour(bool has_moved, Point& point, Followed& followed) {
  constexpr int max_length = 2;
  detour_.is_wanted = followed.alpha < 0.1 * followed.alpha_limit;
  if (detour_.length == 0) return has_moved;
  // The energy at the start is evaluated anew, since the barrier may have become stiffer on the way.
  detour_.start.energy = problem_.energy(detour_.start.iterate);
  if (change_of(detour_.start.energy, point.energy) < 0.0) {
    detour_.length = 0;
    return true;
  }
  // A detour that has failed is undone, and the line search follows its first direction as usual.
  if (has_moved && ++detour_.length <= max_length) return true;
  detour_.is_allowed = false;
  give_up_detour(point);
  followed.alpha_limit = detour_.direction.share * detour_.direction.alpha_limit;
  return search(detour_.direction, detour_.gradient, point, followed);
}

template class LineSearch<2>;
template class LineSearch<3>;

}  // namespace clearance
