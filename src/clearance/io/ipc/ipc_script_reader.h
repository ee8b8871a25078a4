// Scenes of the IPC reference implementation (its text scripts), expressed as native scenes.
#pragma once

#include <filesystem>
#include <string>

#include "clearance/scene/loaded_scene.h"

namespace clearance {

/// Reads a script and the meshes it names (their extents decide sizes and positions). A setting that has no
/// counterpart, or a different effect here, is a warning; one that would change the motion is an error. Relative mesh
/// paths are searched beside the script, then from each of the directories above it.
Result<LoadedScene> read_ipc_script(const std::filesystem::path& path);

/// Does the same for a text, as if it were the content of the file `path`.
Result<LoadedScene> read_ipc_script_text(const std::string& text, const std::filesystem::path& path);

}  // namespace clearance
