// The status says how a step ends.
#pragma once

#include <string>

namespace clearance {

enum class StepStatus {
  converged,
  iteration_limit,            ///< max_iterations reached; the state is advanced to the last feasible iterate
  line_search_stalled,        ///< no decrease found although the direction is not small; advanced likewise
  locked,                     ///< contacts let directions lead nowhere, many times in a row; advanced likewise
  friction_lag_limit,         ///< friction forces and their lags have not come to agree; advanced likewise
  prescribed_motion_blocked,  ///< a prescribed node could not reach its target; advanced likewise
  linear_solve_failed,        ///< the state is not advanced
  no_equilibrium,             ///< without inertia, nothing holds a body: it slides, falls or snaps away; not advanced
  stopped,                    ///< it was asked to (StepHooks::is_stop_wanted); the state is not advanced
  undefined_input,            ///< a formula of the scene is not finite at this time, or a file is gone; not advanced
  invalid_state               ///< the exact check found an intersection or inversion; the state is not advanced
};

std::string to_string(StepStatus status);

/// True if a step that ends with this status advances the state.
constexpr bool is_advanced(StepStatus status) {
  return status != StepStatus::linear_solve_failed && status != StepStatus::no_equilibrium &&
         status != StepStatus::stopped && status != StepStatus::undefined_input && status != StepStatus::invalid_state;
}

}  // namespace clearance
