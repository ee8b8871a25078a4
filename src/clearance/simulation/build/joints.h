// The joints of a scene as potentials, together with the fixed translations and rotations of its stiff bodies.
#pragma once

#include <memory>

#include "clearance/model/potential.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance {

struct JointPotentials {
  /// Null if the scene has neither joints nor bodies with fixed translations or rotations.
  std::shared_ptr<Potential> joints;
  std::vector<std::shared_ptr<Potential>> springs;  ///< springs and dampers in joints; may be empty
};

/// Makes the potentials, and sets scene.joint_state and scene.joint_strain. Appends to scene.issues which copies or
/// components do not exist, and which drives start elsewhere than their joints. The blocks of the stiff units must be
/// known.
JointPotentials make_joints(const SceneDesc& desc, SceneModel& scene);

}  // namespace clearance
