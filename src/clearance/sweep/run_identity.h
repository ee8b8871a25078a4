// Is what lies in the folder of a run the run that the plan says? Folders can be copied, run by hand, or be left from a
// sweep whose values were others.
#pragma once

#include <string>

#include "clearance/sweep/sweep_folder.h"

namespace clearance::sweep {

/// Why it is another run, with what it has and what the plan says: other values of the scene, or another number of
/// steps. Empty if it is this one, if nothing has been stored, or if the scene can no longer be read to tell.
std::string find_foreign(const SweepFolder& folder, int run, int num_steps_stored, bool is_complete);

}  // namespace clearance::sweep
