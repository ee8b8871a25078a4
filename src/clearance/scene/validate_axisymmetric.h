// Checks of scenes of bodies of revolution.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Appends what an axisymmetric scene has and bodies of revolution cannot have.
void check_axisymmetry(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
