// What clearance-robot hands to the simulator, as JSON: a native scene, and what was wrong or left out.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/json.h"
#include "clearance/scene/scene.h"

namespace clearance {

struct RobotAnswer {
  SceneDesc scene;  ///< nothing where `issues` has errors
  Issues issues;
};

Json to_json(const RobotAnswer& answer);
/// Adds to the answer's issues what of the JSON is none.
RobotAnswer answer_from_json(const Json& json);

}  // namespace clearance
