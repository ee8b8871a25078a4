// Converts the model of a robot to a scene.
#pragma once

#include "clearance/io/robot/robot_model.h"

namespace clearance {

/// Returns the scene, with y up: a point (x, y, z) of the model becomes (x, z, -y). Appends warnings of differences
/// from the model. Bodies of one mechanism (held together by joints, or to the world) that overlap at the start do not
/// collide; free mechanisms are lifted off planes that they touch.
SceneDesc scene_of_robot(const RobotModel& model, Issues& notes);

}  // namespace clearance
