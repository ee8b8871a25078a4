// Check that joints hold existing bodies in a way that their kind allows.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Appends every problem of the joints, formulas included.
void check_joints(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
