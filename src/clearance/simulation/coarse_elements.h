// Messages of a run, at its end, about elements that are too coarse for its result.
#pragma once

#include <vector>

#include "clearance/io/result/result_folder.h"
#include "clearance/simulation/simulation.h"

namespace clearance {

/// Returns the estimates as summary.json has them.
std::vector<DiscretisationRecord> discretisation_records(const Simulation& simulation,
                                                         const std::vector<DiscretisationError>& errors);

/// Returns a warning named `coarse_elements` for each body whose displacements lack more than a twentieth, or whose
/// largest stress is doubtful although a probe asks for it.
std::vector<RunWarning> coarse_element_warnings(const Simulation& simulation,
                                                const std::vector<DiscretisationError>& errors);

}  // namespace clearance
