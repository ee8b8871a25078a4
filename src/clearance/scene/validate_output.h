// What is asked of a run's output: that probes have names of their own, and that what they name is there.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Appends all problems of `output`.
void check_output(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
