// Derivatives of the numbers of probes by the state that they are read from.
#pragma once

#include "clearance/derivatives/reverse_run.h"
#include "clearance/simulation/output/probes.h"

namespace clearance::derivatives {

/// Returns the derivatives of a sum by the states of a scene with `size` unknowns.
Seed seed_of_sum(const SumOfBlocks& sum, int dim, Eigen::Index size);

/// Returns the derivatives of a column by positions and velocities of `state`, or the reason why there are none: those
/// of forces are not known from a state, and some numbers have kinks.
Result<Seed> seed_of_column(const SteppedScene& scene, const State& state, const Potential* joints, std::size_t column);

}  // namespace clearance::derivatives
