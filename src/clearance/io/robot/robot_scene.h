// From the model of a robot to a scene.
#pragma once

#include "clearance/io/robot/robot_model.h"

namespace clearance {

/// The scene, y up: what is at (x, y, z) in the model is at (x, z, -y). Appends warnings of what differs from the
/// model. Bodies of one mechanism (held together by joints, or to the world) that overlap where they start do not
/// collide; mechanisms that are free are lifted off planes that they touch.
SceneDesc scene_of_robot(const RobotModel& model, Issues& notes);

}  // namespace clearance
