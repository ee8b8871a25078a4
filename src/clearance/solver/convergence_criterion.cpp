#include "clearance/solver/convergence_criterion.h"

namespace clearance {

template <int dim>
Verdict ConvergenceCriterion<dim>::end(StepStatus status, NewtonState& now) const {
  const bool is_settled = status == StepStatus::converged || status == StepStatus::friction_lag_limit;
  if (is_settled && parts_.pull.hold_if_straining(now.point)) {
    parts_.friction.note_motion();
    return Verdict::again;
  }
  now.status = is_settled && parts_.pull.is_held() ? StepStatus::prescribed_motion_blocked : status;
  return Verdict::ended;
}

template class ConvergenceCriterion<2>;
template class ConvergenceCriterion<3>;

}  // namespace clearance
