// Loads and motions that leave nothing to simulate.
#pragma once

#include "clearance/simulation/scene_model.h"

namespace clearance {

/// Free bodies that a force throws away: one of a thousand times their weight and more, which moves them by ten times
/// their size within ten steps.
void warn_of_throwing_loads(const SceneDesc& desc, const SceneModel& scene, Issues& hints);

/// Deformable bodies all of whose nodes are held or moved, from the start to the end.
void warn_of_wholly_held_bodies(const SceneModel& scene, Issues& hints);

}  // namespace clearance
