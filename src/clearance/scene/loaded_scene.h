// The result of reading a scene file.
#pragma once

#include <string>

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

struct LoadedScene {
  SceneDesc scene;
  Issues warnings;  ///< ignored or doubtful parts of the file; severity `warning`
};

/// Names the units of numbers in messages as the system does (UnitSystem::message).
void name_units(const UnitSystem& units, Issues& issues);

/// Sets `file` in the issues that have none.
void set_file(Issues& issues, const std::string& file);

/// Returns the scene with the issues as its warnings, or the issues if they contain an error.
Result<LoadedScene> finish_loading(SceneDesc scene, Issues issues, const std::string& file);

/// Does the same for a scene of another program. If the importer reported no error, validates it as a native scene.
/// Removes repeated issues, which several sections may have found.
Result<LoadedScene> finish_import(SceneDesc scene, Issues issues, const std::string& file);

}  // namespace clearance
