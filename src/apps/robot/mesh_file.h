// Mesh files that a model names.
#pragma once

#include <filesystem>

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"

namespace clearance::robot {

/// `package://NAME/...` is looked for in the folders above the model (those named NAME, or that hold NAME) and in those
/// of ROS_PACKAGE_PATH; `file://` and other paths relative to the model. Empty: nowhere.
std::filesystem::path find_mesh_file(const std::string& name, const std::filesystem::path& model);

/// The surface of a mesh file. Issues name the file as the model does.
Result<Mesh> read_surface(const std::string& name, const std::filesystem::path& model);

}  // namespace clearance::robot
