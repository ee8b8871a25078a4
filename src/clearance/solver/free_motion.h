// Motions that nothing resists at the end of a step without inertia, such as that of a block which supports hold along
// one direction only: the length of such a motion is arbitrary.
#pragma once

#include <optional>

#include "clearance/solver/report.h"
#include "clearance/solver/step_inputs.h"

namespace clearance {

/// Returns the motion that nothing resists at `x`, if the step has moved a body along it; nothing if the Hessian
/// resists every motion, or the solver fails. The system of the inputs is the Hessian near `x`, plus `shift` times its
/// diagonal, and the solver has factorised a matrix near it.
template <int dim>
std::optional<FreeMotion> find_free_motion(const StepInputs<dim>& in, const VecX& x, double shift);

extern template std::optional<FreeMotion> find_free_motion<2>(const StepInputs<2>&, const VecX&, double);
extern template std::optional<FreeMotion> find_free_motion<3>(const StepInputs<3>&, const VecX&, double);

}  // namespace clearance
