// Candidates of a path that are worth measuring.
#pragma once

#include "clearance/solver/step_inputs.h"
#include "clearance/solver/swept_candidates.h"

namespace clearance {

/// Measures the pairs, after a device, if there is one, has left out those that certainly stay apart on a straight path
/// (broad_phase/device_culling.h). Only collision detection by certificates is known to find the same without them.
template <int dim>
SweptCandidates measure_near_candidates(const StepInputs<dim>& in, const SurfacePath& path, Candidates pairs);

}  // namespace clearance
