// Directions that thin bodies give: the warp of a woven sheet, the first axis of a rod.
#pragma once

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Appends errors for directions that say nothing of the body: a warp across the whole sheet, an axis along the whole
/// rod. `placed` is the mesh in the scene, and `where` names the body.
void check_thin_directions(const BodyDesc& body, const Issue& where, const Mesh& placed, Issues& issues);

}  // namespace clearance
