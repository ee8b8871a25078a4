// Reads and writes scene files. A scene that loads is valid: `validate` has no errors and its meshes exist.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/loaded_scene.h"

namespace clearance {

enum class SceneFormat { automatic, clearance, ipc, rigid_ipc, polyfem, abaqus, urdf, mjcf };

/// Reads a scene of any supported format. `automatic` decides by the extension (.txt and .ipc are IPC scripts, .inp is
/// a file of Abaqus or CalculiX), the first element of XML (`<robot`, `<mujoco`) and the keys of a JSON file.
/// `overrides` are `path=value`
/// (`time.step=0.01`), applied to the JSON before it is read, or to the native JSON of an imported scene. Paths of
/// meshes are relative to `scene.base_directory`, or absolute.
Result<LoadedScene> load_scene(const std::filesystem::path& path, SceneFormat format = SceneFormat::automatic,
                               const std::vector<std::string>& overrides = {});

/// Reads a native scene from text, as if it were a file in `base_directory`; `name` is the file in messages.
Result<LoadedScene> load_scene_text(const std::string& text, const std::string& name,
                                    const std::filesystem::path& base_directory,
                                    const std::vector<std::string>& overrides = {});

/// Returns the text of a native scene with every default, as it would be in the file `path`. Relative mesh paths become
/// absolute if the file lies in another directory than that of the scene.
std::string scene_text(const std::filesystem::path& path, const SceneDesc& scene);

/// Writes that text in one atomic replacement of the file.
Result<Done> save_scene(const std::filesystem::path& path, const SceneDesc& scene);

}  // namespace clearance
