// JSON to scene: every problem of the whole document at once, each with its path.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/json.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// The first line of native scenes: `"format": "clearance/2"`. It may be missing. Scenes of `clearance/1` keep the
/// defaults that they were written for (set_published_defaults); any other value is refused.
inline constexpr const char* native_format = "clearance/2";
inline constexpr const char* first_format = "clearance/1";

/// The scene as far as it could be understood; values with a problem keep their defaults. Adds to `issues` unknown keys
/// (with the one probably meant), wrong types, wrong lengths and unknown names. Ranges and agreement of values with
/// each other are the work of validate().
SceneDesc scene_from_json(const Json& root, Issues& issues);

}  // namespace clearance
