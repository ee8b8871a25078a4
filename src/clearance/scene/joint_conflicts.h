// Drives that move two bodies in a way that another joint between the same bodies does not allow, or that differs from
// the drive of that joint.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Appends a warning for each, at `joints[i].drive`. Fixed joints are checked where whole groups of them are followed
/// (validate_joints.h), conflicts through a third body during the run (`joint_strained`).
void warn_of_joint_conflicts(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
