// Bodies that nothing holds, which have no equilibrium of their own in statics.
#pragma once

#include <vector>

#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// Returns the bodies that no fixed translation, motion or joint connects with the world, ascending. Obstacles are
/// held.
std::vector<int> find_unheld_bodies(const SceneDesc& desc, const SceneModel& scene);

/// Returns those of find_unheld_bodies that no contact at the start connects with the world either.
std::vector<int> find_free_bodies(const SceneDesc& desc, const SceneModel& scene);

}  // namespace clearance
