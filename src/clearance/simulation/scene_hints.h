// What is probably a mistake in a scene that can start: warnings that say what was found, where, and what to do.
#pragma once

#include "clearance/simulation/hint.h"
#include "clearance/simulation/scene_model.h"
#include "clearance/simulation/separation.h"

namespace clearance {

struct SceneHints {
  Issues issues;     ///< all of them
  NamedHints named;  ///< those of them that falsify numbers of the run
};

/// None of them stops a run. The scene must have passed the checks of preflight.h. `overlaps` are those that it was
/// moved out of.
SceneHints find_scene_hints(const SceneDesc& desc, const SceneModel& scene,
                            const std::vector<Separation::Overlap>& overlaps);

}  // namespace clearance
