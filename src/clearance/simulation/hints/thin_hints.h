// Warnings about shapes at rest and limits of rods and shells that look like numbers in other units.
#pragma once

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

/// Warns of rods that bend or twist at rest by more than a radian from segment to segment, and of shells that may
/// hardly stretch.
void warn_of_thin_bodies(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints);

}  // namespace clearance
