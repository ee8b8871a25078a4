// The JSON that clearance-robot passes to the simulator: a native scene, issues about what was wrong or left
// out, and notes.
#pragma once

#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/json.h"
#include "clearance/scene/scene.h"

namespace clearance {

struct RobotAnswer {
  SceneDesc scene;  ///< nothing where `issues` has errors
  Issues issues;
  std::vector<std::string> notes;  ///< how the file was read where nothing of it is left out
};

Json to_json(const RobotAnswer& answer);
/// Reads an answer. Parts of the JSON that are not a valid answer become issues of it.
RobotAnswer answer_from_json(const Json& json);

}  // namespace clearance
