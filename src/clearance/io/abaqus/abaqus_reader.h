// Input files of Abaqus and CalculiX (.inp) as scenes: sections that share nodes are a body, steps follow one another
// in the scene's time, and all bodies are in contact.
#pragma once

#include <filesystem>

#include "clearance/scene/loaded_scene.h"

namespace clearance {

/// Reads a file with its materials, sections, boundary conditions, loads and steps (docs/abaqus.md). What would change
/// the result and is not supported is an error with its line; other deviations are warnings.
Result<LoadedScene> read_abaqus_scene(const std::filesystem::path& path);

}  // namespace clearance
