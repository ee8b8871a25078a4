// The joints of a scene as potentials, together with the fixed translations and rotations of its stiff bodies.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/bodies/affine/joint.h"
#include "clearance/model/model.h"
#include "clearance/scene/controls.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/build/joint_strain.h"
#include "clearance/simulation/build/unknowns.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

struct SceneJoints {
  /// Null if the scene has neither joints nor bodies with fixed translations or rotations; then the rest is empty, too.
  std::shared_ptr<Potential> joints;
  std::vector<std::shared_ptr<Potential>> springs;  ///< springs, dampers, dry friction and armatures
  std::vector<int> mechanism_of_body;               ///< Model::mechanism_of_body
  /// Returns the joint strain from the potential of the joints as it was in the last step.
  std::function<JointStrain(const Potential& joints, const State& state)> strain;
  /// Returns the state of a joint, by its number in the scene, from the potential of the joints as it was in the last
  /// step.
  std::function<JointState(const Potential& joints, int joint, const State& state)> state;
};

/// Appends to `issues` which copies or components do not exist, and which drives start elsewhere than their joints.
/// Makes no joints if `issues` has errors, of stages before too.
SceneJoints make_joints(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                        const std::shared_ptr<const Controls>& controls, Issues& issues);

}  // namespace clearance
