// Checks of shells, rods and particles.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Appends what is wrong with the thin bodies of a scene.
void check_thin_bodies(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
