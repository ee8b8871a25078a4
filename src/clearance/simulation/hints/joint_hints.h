// Warnings about joints that are far away from what they hold.
#pragma once

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

/// Warns of joints of two bodies whose point, or whose axis, is many times further away from both than these are large
/// or away from each other. (A joint with the world may have a long arm: a bob hangs on one.)
void warn_of_distant_joints(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints);

}  // namespace clearance
