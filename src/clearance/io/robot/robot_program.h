// The program clearance-robot as a process: it reads URDF and MJCF, by libraries that the simulator does not need.
#pragma once

#include <filesystem>
#include <string>

#include "clearance/scene/loaded_scene.h"

namespace clearance {

/// Is the text XML whose first element is `<robot` (urdf) or `<mujoco` (mjcf)? Empty: neither.
std::string robot_format_of(const std::string& text);

/// The scene of a file of the format `urdf` or `mjcf`. Warnings say what was not carried over. Issues: what is wrong
/// with the file, or that there is no such program. `sides`: of round shapes; 0: as they need it.
Result<LoadedScene> read_robot(const std::filesystem::path& path, const std::string& format, int sides = 0);

}  // namespace clearance
