// Checks every number of a scene against the range that the field table gives it.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

void check_ranges(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
