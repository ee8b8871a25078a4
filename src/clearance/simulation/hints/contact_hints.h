// Warnings about activation distances that are probably mistaken.
#pragma once

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

/// Warns of activation distances that are several element edges long, if that makes a body repel itself at rest, and of
/// those that are lost in the rounding of positions.
void warn_of_activation_distances(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints);

}  // namespace clearance
