// What reading a scene file gives.
#pragma once

#include <string>

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

struct LoadedScene {
  SceneDesc scene;
  Issues warnings;  ///< what was ignored or is doubtful; severity `warning`
};

/// Gives `file` to the issues that have none.
void set_file(Issues& issues, const std::string& file);

/// The scene with the issues as its warnings, or the issues if they hold an error.
Result<LoadedScene> finish_loading(SceneDesc scene, Issues issues, const std::string& file);

/// The same for a scene of another program: checked as a native one, if the importer has let it through, and of issues
/// that several sections have found, one each.
Result<LoadedScene> finish_import(SceneDesc scene, Issues issues, const std::string& file);

}  // namespace clearance
