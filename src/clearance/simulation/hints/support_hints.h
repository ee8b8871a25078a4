// Warnings about bodies of a quasi-static run that nothing holds, so that it is undetermined where they come to rest.
#pragma once

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

/// Warns of bodies that are not held. Obstacles, bodies with a motion from the start on and bodies with a fixed
/// translation are held, and so is every body that joints or contacts at the start connect with them, through any
/// number of bodies.
void warn_of_free_bodies(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints);

/// Returns a note for a quasi-static scene at its start: `; nothing holds body 'raft' in any direction`, or, if all
/// bodies are held, that one can still be free to slide or to turn. Empty for scenes with inertia.
std::string free_bodies_text(const SceneDesc& desc, const SceneModel& scene);

/// Warns of half-spaces none of which is below the bodies, so that these fall for ever. It does so only where that is
/// certain: nothing is held, and the body that is named starts at rest, without loads.
void warn_of_endless_falls(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints);

}  // namespace clearance
