// Check of the output settings: probes must have unique names, and everything that they name must exist.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Appends all problems of `output`.
void check_output(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
