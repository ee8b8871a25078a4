// Checks of springs.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

void check_springs(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
