// Search for the meshes of a Rigid IPC scene, and the dimension that they imply.
#pragma once

#include <filesystem>
#include <string>

#include "clearance/scene/json.h"

namespace clearance {

/// Returns the path of a mesh for the native scene beside `scene`; empty if there is none. Searches as the reference
/// does: from the working directory, then in its folder `meshes`, which here is any such folder above the scene or
/// below the folder of published data. Also searches beside the scene, where the path is kept as it stands.
std::string find_rigid_ipc_mesh(const std::string& name, const std::filesystem::path& scene);

/// Returns the length of the vertex rows of the first body that has vertices, in the file or in the scene; 3 if there
/// is none.
int rigid_ipc_dimension(const Json& bodies, const std::filesystem::path& scene);

}  // namespace clearance
