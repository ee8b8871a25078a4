// Scene to JSON: every value written out in the order of the field table.
#pragma once

#include <string>

#include "clearance/scene/json.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Returns JSON that reads back as the same scene, bit for bit. `base_directory` is not part of it.
Json scene_to_json_value(const SceneDesc& scene);
std::string scene_to_json(const SceneDesc& scene);

/// Returns the fields of a scene that has only defaults (no bodies).
Json default_scene_json();

}  // namespace clearance
