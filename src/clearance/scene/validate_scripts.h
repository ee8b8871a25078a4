// Check of motions, loads and friction coefficients.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Appends every problem of the motions and loads of all bodies, formulas included, and of friction coefficients.
void check_scripts(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
