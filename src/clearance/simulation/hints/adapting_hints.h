// Warnings about bodies whose elements should adapt and cannot.
#pragma once

#include "clearance/base/result.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// Warns of bodies that stiff parts and motions hold completely for the whole duration of the scene.
void warn_of_bodies_that_cannot_adapt(const SceneDesc& desc, const SceneModel& scene, Issues& hints);

}  // namespace clearance
