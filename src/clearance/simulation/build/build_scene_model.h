// Builds the model of a scene from its bodies.
#pragma once

#include <vector>

#include "clearance/scene/scene.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// Builds the model of a scene. If SceneModel::issues has errors, the scene cannot be run.
SceneModel build_scene_model(const SceneDesc& scene, std::vector<BodyInstance> bodies);

}  // namespace clearance
