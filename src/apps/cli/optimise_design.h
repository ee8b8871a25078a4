// `clearance optimise` for PolyFEM's optimisation files: minimises an objective of the states of runs.
#pragma once

#include "apps/cli/optimise.h"

namespace clearance::cli {

/// Minimises, and prints the parameters; or compares derivatives with differences of runs. Exit status as run_optimise;
/// 4 if derivatives and differences do not agree.
int run_optimise_design(const OptimiseCommand& command);

}  // namespace clearance::cli
