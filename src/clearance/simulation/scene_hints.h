// What is probably a mistake in a scene that can start: warnings that say what was found, where, and what to do.
#pragma once

#include "clearance/base/result.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// None of them stops a run. The scene must have passed the checks of preflight.h.
Issues find_scene_hints(const SceneDesc& desc, const SceneModel& scene);

}  // namespace clearance
