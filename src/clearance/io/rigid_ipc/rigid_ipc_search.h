// Where the meshes of a Rigid IPC scene are, and what they say about its dimension.
#pragma once

#include <filesystem>
#include <string>

#include "clearance/scene/json.h"

namespace clearance {

/// The path of a mesh for the native scene beside `scene`, empty if there is none. As the reference: from the working
/// directory, then in its folder `meshes`, here any above the scene or below the folder of published data; and beside
/// the scene, where the path is kept as it stands.
std::string find_rigid_ipc_mesh(const std::string& name, const std::filesystem::path& scene);

/// Of the first body that has vertices: the length of their rows, in the file or in the scene; 3 if there is none.
int rigid_ipc_dimension(const Json& bodies, const std::filesystem::path& scene);

}  // namespace clearance
