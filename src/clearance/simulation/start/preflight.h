// Checks of what must hold before the first step: surfaces are apart, and vertices are on the free side of half-spaces.
#pragma once

#include "clearance/simulation/build/scene_model.h"

namespace clearance {

struct PreflightReport {
  Issues issues;
  Mesh offending;                  ///< triangles and edges that meet, for a picture; empty if none do
  double min_distance = infinity;  ///< [m] smallest distance among pairs closer than dhat
};

/// Checks the initial state, exactly. Reports each pair of bodies that meet as one issue with the number of meeting
/// pairs, the depth and a place.
PreflightReport check_initial_state(const SceneDesc& desc, const SceneModel& scene);

}  // namespace clearance
