// Checks of numbers of materials that vary within a body.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Appends what is wrong with the material fields of a scene, as far as it does not depend on the meshes.
void check_material_fields(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
