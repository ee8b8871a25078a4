// Warnings about activation distances that are probably mistaken.
#pragma once

#include "clearance/base/result.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// Of several elements where that repels at rest, or lost in the rounding of positions.
void warn_of_activation_distances(const SceneDesc& desc, const SceneModel& scene, Issues& hints);

}  // namespace clearance
