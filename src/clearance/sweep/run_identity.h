// Check that the folder of a run holds the run of the plan. Folders can be copied, run by hand, or left over from a
// sweep with other values.
#pragma once

#include <string>

#include "clearance/sweep/sweep_folder.h"

namespace clearance::sweep {

/// Returns why the folder holds another run, with its values and those of the plan: other values of the scene, or
/// another number of steps. Returns an empty text if the folder holds this run, if nothing has been stored, or if the
/// expected scene can no longer be read.
std::string find_foreign(const SweepFolder& folder, int run, int num_steps_stored, bool is_complete);

}  // namespace clearance::sweep
