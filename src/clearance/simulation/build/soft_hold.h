// Soft springs for the bodies of a quasi-static scene that nothing holds (`static.hold_free`).
#pragma once

#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// Adds the springs to the model, if the scene asks for them and a body needs them. All loads of the scene together
/// would move a body by its own size.
void hold_free_bodies(const SceneDesc& desc, SceneModel& scene);

}  // namespace clearance
