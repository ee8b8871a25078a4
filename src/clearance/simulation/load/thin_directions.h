// Compares the numbers that thin bodies give with their mesh: the warp of a woven sheet, the first axis of a rod, the
// thickness.
#pragma once

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Appends errors for directions that say nothing of the body: a warp across the whole sheet, an axis along the whole
/// rod. Appends a warning for a shell or rod that is thicker than half of its size. `placed` is the mesh in the scene,
/// and `where` names the body.
void check_thin_directions(const BodyDesc& body, const Issue& where, const Mesh& placed, Issues& issues,
                           Issues& warnings);

}  // namespace clearance
