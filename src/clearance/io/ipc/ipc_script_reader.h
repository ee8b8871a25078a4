// Scenes of the IPC reference implementation (its text scripts), expressed as native scenes.
#pragma once

#include <filesystem>
#include <string>

#include "clearance/scene/loaded_scene.h"

namespace clearance {

/// Reads a script and the meshes it names (their extents decide sizes and positions). What has no counterpart, or is
/// done otherwise, is a warning; what would change the motion is an error. Mesh paths that are not absolute
/// are looked for beside the script, then from each of the directories above it.
Result<LoadedScene> read_ipc_script(const std::filesystem::path& path);

/// The same for a text, as if it stood in the file `path`.
Result<LoadedScene> read_ipc_script_text(const std::string& text, const std::filesystem::path& path);

}  // namespace clearance
