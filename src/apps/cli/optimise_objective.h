// `clearance optimise` for plans with an objective: minimises a formula of numbers of a scene and of its probes.
#pragma once

#include "apps/cli/optimise.h"

namespace clearance::cli {

/// Minimises, and prints the numbers. Exit status as run_optimise.
int run_optimise_objective(const OptimiseCommand& command);

}  // namespace clearance::cli
