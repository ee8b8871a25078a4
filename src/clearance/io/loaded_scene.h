// What reading a scene file gives.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

struct LoadedScene {
  SceneDesc scene;
  Issues warnings;  ///< what was ignored or is doubtful; severity `warning`
};

}  // namespace clearance
