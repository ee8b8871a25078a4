// Bodies that are too fast for the time step, from the start or by their weight.
#pragma once

#include "clearance/simulation/hint.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// Bodies that move by half their size or more in the first step, where there is something to be hit.
void warn_of_fast_bodies(const SceneDesc& desc, const SceneModel& scene, Issues& hints);

/// Steps in which gravity moves a free body by more than its size.
void warn_of_long_steps(const SceneDesc& desc, const SceneModel& scene, Issues& hints);

}  // namespace clearance
