// Forces at the end of a step, in newtons.
#pragma once

#include "clearance/solver/friction_lag.h"
#include "clearance/solver/step_forces.h"

namespace clearance {

/// Collects the forces at `end`, with the friction that the step has balanced there.
template <int dim>
StepForces collect_forces(const StepInputs<dim>& in, StepProblem<dim>& problem, const FrictionLag<dim>& lag,
                          const Iterate& end);

}  // namespace clearance
