// What must hold before the first step: surfaces apart, vertices on the free side of half-spaces.
#pragma once

#include "clearance/simulation/scene_model.h"

namespace clearance {

struct PreflightReport {
  Issues issues;
  Mesh offending;                  ///< the triangles and edges that meet, for a picture; empty if none
  double min_distance = infinity;  ///< [m] among pairs closer than dhat
};

/// Exact. Each pair of bodies that meets is one issue with the number of meeting pairs, the depth and a place.
PreflightReport check_initial_state(const SceneDesc& desc, const SceneModel& scene);

}  // namespace clearance
