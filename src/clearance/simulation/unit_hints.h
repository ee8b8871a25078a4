// Sizes and masses that tell of millimetres read as metres.
#pragma once

#include "clearance/simulation/hint.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// Bodies that are no obstacles and are above 1 km or below 0.01 mm, or above 1e7 kg under gravity; and a body beside
/// another one a thousand times as large.
void warn_of_units(const SceneDesc& desc, const SceneModel& scene, Issues& hints);

}  // namespace clearance
