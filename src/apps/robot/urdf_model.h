// Robots of URDF files, read by liburdfdom.
#pragma once

#include <filesystem>
#include <optional>

#include "clearance/io/robot/robot_model.h"

namespace clearance::robot {

/// Reads the robot in the configuration in which all joints are at 0. Links that fixed joints hold together are one
/// body. A root link that is called `world`, or that has no mass (nor have links fixed to it), is part of the world;
/// any other is free. Every joint that moves has a control of its name, the torque [N m] or force [N] on it, within its
/// limit of effort. Appends errors, or warnings about parts that are left out.
std::optional<RobotModel> read_urdf(const std::filesystem::path& path, Issues& issues);

}  // namespace clearance::robot
