// Conversion of JSON to a scene. All problems of the document are reported at once, each with its path.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/json.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// The first line of native scenes: `"format": "clearance/3"`. It may be missing. Scenes of `clearance/1` and
/// `clearance/2` keep the defaults that they were written for (set_published_defaults, set_second_defaults); any other
/// value is refused.
inline constexpr const char* native_format = "clearance/3";
inline constexpr const char* second_format = "clearance/2";
inline constexpr const char* first_format = "clearance/1";

/// Returns the scene as far as it can be understood; values with a problem keep their defaults. Appends to `issues`
/// unknown keys (with the one probably meant), wrong types, wrong lengths and unknown names. validate() checks ranges
/// and the agreement of values with each other.
SceneDesc scene_from_json(const Json& root, Issues& issues);

}  // namespace clearance
