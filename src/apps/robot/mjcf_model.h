// Models of MJCF files, compiled by libmujoco: defaults, includes, frames, meshes and inertias are as MuJoCo has them.
#pragma once

#include <filesystem>
#include <optional>

#include "clearance/io/robot/robot_model.h"

namespace clearance::robot {

/// In the pose of the first keyframe, else in MuJoCo's reference pose. Bodies that are welded together are one; a body
/// with several joints hangs on bodies between them that touch nothing and weigh a thousandth of it. Appends
/// errors, or warnings of what is left out.
std::optional<RobotModel> read_mjcf(const std::filesystem::path& path, Issues& issues);

}  // namespace clearance::robot
