// The joints of a scene, and the motions that its stiff bodies do not make, as a potential.
#pragma once

#include <memory>

#include "clearance/model/potential.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// Null if the scene has neither; else scene.joint_state asks it. Appends to scene.issues which copies or components do
/// not exist, and which drives start elsewhere than their joints. The blocks of the stiff units must be known.
std::shared_ptr<Potential> make_joints(const SceneDesc& desc, SceneModel& scene);

}  // namespace clearance
