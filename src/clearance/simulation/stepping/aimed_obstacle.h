// Obstacles that programs move from step to step.
#pragma once

#include <vector>

#include "clearance/base/result.h"
#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/stepping/body_view.h"

namespace clearance {

/// Sets where the vertices [m] of an obstacle are to be at the end of the next step and from then on. Issues: another
/// number of rows, numbers that are not finite, bodies that are no obstacles or have motions.
Result<Done> aim_obstacle(const SceneModel& scene, const BodyView& view, const std::vector<Vec<3>>& positions,
                          State& state);

}  // namespace clearance
