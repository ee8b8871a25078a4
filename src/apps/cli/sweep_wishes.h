// What a plan wants of its runs, compared with what their scenes will give, before the first one starts.
#pragma once

#include <set>
#include <string>

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"
#include "clearance/sweep/plan.h"

namespace clearance::cli {

/// What the runs together have.
struct RunOffer {
  std::set<std::string> probes, arrays;  ///< names of output.probes; arrays of the frames
  int num_frames = 0;                    ///< of the run with the most

  void add(const SceneDesc& scene, const sweep::Plan& plan);
};

/// Columns and frames that no run will have are errors, and an array that the scenes do not ask for is a warning: the
/// table has no pictures then. What only a run can say, such as the unit of a probe, is not looked at.
Issues check_wishes(const sweep::Plan& plan, const RunOffer& offer);

}  // namespace clearance::cli
