#include "clearance/solver/motion_criterion.h"

#include <utility>

namespace clearance {

namespace {
/// Share of the tolerance that may be left of the last direction.
constexpr double max_untaken = 0.3;
}  // namespace

template <int dim>
double MotionCriterion<dim>::negligible_length() const {
  const SolverOptions& options = parts_.in.options;
  return options.tolerance * options.integrator.h;
}

template <int dim>
Verdict MotionCriterion<dim>::after_direction(NewtonState& now) {
  const double tolerance = parts_.in.options.tolerance;
  const double untaken = now.has_moved ? (1.0 - now.last.alpha) * now.residual : 0.0;
  const bool is_small = now.residual < tolerance && untaken < max_untaken * tolerance && !parts_.search.is_on_detour();
  if (!parts_.pull.has_arrived(now.point)) {
    if (!is_small && now.has_moved) return Verdict::go_on;
    if (parts_.pull.pull_harder(now.point)) return Verdict::again;
    return this->end(StepStatus::prescribed_motion_blocked, now);
  }
  const bool is_first_of_lag = std::exchange(is_first_of_lag_, false);
  if (is_small) {
    // Friction is lagged again with the forces just found, until a direction is small at once [Fer23, eq. 2.17].
    if ((is_first_of_lag && parts_.in.options.friction.iterations == 0) || !parts_.friction.lag_again(now)) {
      return this->end(StepStatus::converged, now);
    }
    if (parts_.friction.is_over()) return this->end(StepStatus::friction_lag_limit, now);
    is_first_of_lag_ = true;
    return Verdict::again;
  }
  return now.has_moved ? Verdict::go_on : this->end(StepStatus::line_search_stalled, now);
}

template class MotionCriterion<2>;
template class MotionCriterion<3>;

}  // namespace clearance
