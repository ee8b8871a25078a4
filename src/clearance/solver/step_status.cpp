#include "clearance/solver/step_status.h"

namespace clearance {

std::string to_string(StepStatus status) {
  switch (status) {
    case StepStatus::converged:
      return "converged";
    case StepStatus::iteration_limit:
      return "iteration_limit";
    case StepStatus::line_search_stalled:
      return "line_search_stalled";
    case StepStatus::locked:
      return "locked";
    case StepStatus::friction_lag_limit:
      return "friction_lag_limit";
    case StepStatus::prescribed_motion_blocked:
      return "prescribed_motion_blocked";
    case StepStatus::linear_solve_failed:
      return "linear_solve_failed";
    case StepStatus::no_equilibrium:
      return "no_equilibrium";
    case StepStatus::stopped:
      return "stopped";
    case StepStatus::undefined_input:
      return "undefined_input";
    case StepStatus::invalid_state:
      return "invalid_state";
  }
  return "unknown";
}

}  // namespace clearance
