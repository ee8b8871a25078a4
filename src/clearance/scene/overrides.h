// Values given on the command line: `path=value` changes the JSON of a scene before it is read, so that an override
// gets the same checks and messages as the file.
#pragma once

#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/json.h"

namespace clearance {

/// Applies `time.step=0.01`, `bodies[0].material.density=500`, ... in order. The value is read as JSON; text that is
/// not JSON becomes a string. `bodies.type=rigid` (or affine) sets the kind of all stiff bodies. Missing objects on the
/// path are created. Each override that cannot be applied is an issue.
void apply_overrides(Json& root, const std::vector<std::string>& overrides, Issues& issues);

}  // namespace clearance
