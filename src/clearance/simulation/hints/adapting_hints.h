// Warnings about bodies whose elements should adapt and cannot.
#pragma once

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

/// Warns of bodies that stiff parts and motions hold completely for the whole duration of the scene.
void warn_of_bodies_that_cannot_adapt(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints);

}  // namespace clearance
