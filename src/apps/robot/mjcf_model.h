// Models of MJCF files, compiled by libmujoco; defaults, includes, frames, meshes and inertias are therefore MuJoCo's.
#pragma once

#include <filesystem>
#include <optional>

#include "clearance/io/robot/robot_model.h"

namespace clearance::robot {

/// Reads the model in the pose of the first keyframe, or in MuJoCo's reference pose if there is none. Bodies that are
/// welded together become one. A body with several joints hangs on intermediate bodies that touch nothing and weigh a
/// thousandth of it. Appends errors, or warnings about parts that are left out.
std::optional<RobotModel> read_mjcf(const std::filesystem::path& path, Issues& issues);

}  // namespace clearance::robot
