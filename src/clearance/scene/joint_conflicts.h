// Drives that move two bodies in a way that another joint between the same bodies does not allow, or moves otherwise.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// A warning for each, at `joints[i].drive`. Fixed joints are left to those who follow whole groups of them
/// (validate_joints.h), conflicts through a third body to the run (`joint_strained`).
void warn_of_joint_conflicts(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
