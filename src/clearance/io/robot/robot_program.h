// The program clearance-robot as a process: it reads URDF and MJCF, by libraries that the simulator does not need.
#pragma once

#include <filesystem>
#include <string>

#include "clearance/scene/loaded_scene.h"

namespace clearance {

/// Returns the format of XML text whose first element is `<robot` (urdf) or `<mujoco` (mjcf); empty for other text.
std::string robot_format_of(const std::string& text);

/// Reads the scene of a file of the format `urdf` or `mjcf`. Warnings name what was not carried over. Issues describe
/// problems of the file, or the missing program. `sides` is the number of sides of round shapes; 0: as many as they
/// need.
Result<LoadedScene> read_robot(const std::filesystem::path& path, const std::string& format, int sides = 0);

}  // namespace clearance
