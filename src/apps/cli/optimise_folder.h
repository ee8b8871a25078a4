// The folder of a fit or of a minimisation.
#pragma once

#include <string>

#include "apps/cli/optimise.h"
#include "clearance/base/result.h"

namespace clearance::cli {

/// Makes the folder ready for the runs of a plan: new, empty, or one whose runs are continued or replaced. `plan`: text
/// of the plan; `inputs`: text of all files that the runs depend on. Issues: why the folder cannot be used.
Result<Done> begin_optimise_folder(const OptimiseCommand& command, const std::string& plan, const std::string& inputs);
/// Returns the same issues, and changes nothing.
Issues problems_of_optimise_folder(const OptimiseCommand& command, const std::string& inputs);

}  // namespace clearance::cli
