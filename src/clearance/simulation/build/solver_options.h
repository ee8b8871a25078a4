// The options of a scene in absolute units.
#pragma once

#include "clearance/scene/scene.h"
#include "clearance/solver/options.h"

namespace clearance {

/// Converts the scene's options to absolute units; `l` [m] is the diagonal of the bounding box of all bodies but
/// obstacles.
SolverOptions solver_options(const SceneDesc& scene, double l);

}  // namespace clearance
