// Mesh files that a robot model refers to.
#pragma once

#include <filesystem>

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"

namespace clearance::robot {

/// Finds the file. `package://NAME/...` is looked for in the folders above the model (those named NAME, or that hold
/// NAME) and in those of ROS_PACKAGE_PATH; `file://` and other paths are relative to the model. Returns an empty path
/// if the file is nowhere.
std::filesystem::path find_mesh_file(const std::string& name, const std::filesystem::path& model);

/// Reads the surface of a mesh file. Issues name the file as the model does.
Result<Mesh> read_surface(const std::string& name, const std::filesystem::path& model);

}  // namespace clearance::robot
