// Hints about probable mistakes in a scene that can start: warnings that say what was found, where, and what to do.
#pragma once

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/load/hint.h"
#include "clearance/simulation/start/start_overlap.h"

namespace clearance {

/// Finds all hints. None of them stops a run. The scene must have passed the checks of preflight.h. `overlaps` are the
/// ones that its bodies were moved out of.
NamedHints find_scene_hints(const SceneDesc& desc, const SceneModel& scene, const std::vector<StartOverlap>& overlaps);

}  // namespace clearance
