// Checks of materials that yield.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Appends what is wrong with the yield stresses and the hardening of a scene's materials.
void check_plasticity(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
