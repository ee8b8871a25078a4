// Comparison, before the first run starts, of the columns and frames that a plan asks for with those that its scenes
// will give.
#pragma once

#include <set>
#include <string>

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"
#include "clearance/sweep/plan.h"

namespace clearance::cli {

/// Probes, arrays and frames that the runs have, all taken together.
struct RunOffer {
  std::set<std::string> probes, arrays;  ///< names of output.probes, and arrays of the frames
  int num_frames = 0;                    ///< of the run that has the most

  void add(const SceneDesc& scene, const sweep::Plan& plan);
};

/// Returns errors for columns and frames that no run will have, and a warning for an array that the scenes do not
/// write: the table has no pictures then. Does not check what only a run can tell, such as the unit of a probe.
Issues check_requests(const sweep::Plan& plan, const RunOffer& offer);

}  // namespace clearance::cli
