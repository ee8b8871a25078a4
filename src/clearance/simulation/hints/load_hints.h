// Warnings about loads and motions that leave nothing to simulate.
#pragma once

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

/// Warns of free bodies that a load throws away: it is a thousand times their weight or more, and moves them by ten
/// times their size within ten steps.
void warn_of_throwing_loads(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints);

/// Warns of loads that act for so short a time that whole steps make another impulse of them.
void warn_of_short_loads(const SceneDesc& desc, NamedHints& hints);

/// Warns of deformable bodies all of whose nodes are held or moved from the start to the end.
void warn_of_wholly_held_bodies(const SceneModel& scene, NamedHints& hints);

}  // namespace clearance
