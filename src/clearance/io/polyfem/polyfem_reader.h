// Scenes of PolyFEM (JSON), expressed as native scenes: every entry of its geometry is a body.
#pragma once

#include <filesystem>

#include "clearance/io/polyfem/polyfem_files.h"
#include "clearance/scene/loaded_scene.h"

namespace clearance {

/// Reads a scene with the files that it is composed of (`common`) and its meshes, whose extents and boundaries decide
/// on scales and on what selections mean. A difference from PolyFEM is a warning; a feature that would change the
/// motion is refused by name. Issues name places of the scene as it is when it has been composed.
Result<LoadedScene> read_polyfem(const Json& root, const std::filesystem::path& path, const JsonFileReader& read_json);

/// True if the scene has keys that only this format has.
bool is_polyfem(const Json& root);

}  // namespace clearance
