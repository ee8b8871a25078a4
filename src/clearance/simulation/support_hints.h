// Bodies of a quasi-static run that nothing holds: where they come to rest is undetermined.
#pragma once

#include "clearance/simulation/hint.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// Held are obstacles, bodies with a motion from the start on or with a fixed translation, and whatever a joint or a
/// contact at the start connects with them, through any number of bodies.
void warn_of_free_bodies(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints);

/// `; nothing holds body 'raft' in any direction`, of a quasi-static scene at its start; empty if all bodies are held.
std::string free_bodies_text(const SceneDesc& desc, const SceneModel& scene);

}  // namespace clearance
