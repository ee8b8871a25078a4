// The joints of a scene, and the motions that its stiff bodies do not make, as a potential.
#pragma once

#include <memory>

#include "clearance/model/potential.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

struct JointPotentials {
  std::shared_ptr<Potential> joints;                ///< null if the scene has neither joints nor held bodies
  std::vector<std::shared_ptr<Potential>> springs;  ///< springs and dampers in joints, if there are any
};

/// scene.joint_state asks the joints. Appends to scene.issues which copies or components do
/// not exist, and which drives start elsewhere than their joints. The blocks of the stiff units must be known.
JointPotentials make_joints(const SceneDesc& desc, SceneModel& scene);

}  // namespace clearance
