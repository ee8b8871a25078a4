// Warnings about entries of a scene that change nothing.
#pragma once

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

/// Adds warnings named `unused_entry`: velocities in statics, `static.hold_free` where nothing needs it,
/// loads and motions that begin after the end, and friction without contact.
void warn_of_unused_entries(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints);

}  // namespace clearance
