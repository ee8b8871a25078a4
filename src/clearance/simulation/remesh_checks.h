// What only the mesh of a body tells: whether its elements can adapt as the scene wants.
#pragma once

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Of a deformable body whose elements adapt, with its mesh where the scene has it at rest. Others have no problems.
void check_remesh_of_mesh(const SceneDesc& scene, const BodyDesc& body, Issue where, const Mesh& mesh, Issues& issues,
                          Issues& warnings);

}  // namespace clearance
