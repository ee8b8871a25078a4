// Checks that need the meshes of a scene: whether elements can adapt as the scene asks.
#pragma once

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Checks a deformable body whose elements adapt, with its mesh placed in the scene and at rest. Finds no problems in
/// other bodies.
void check_remesh_of_mesh(const SceneDesc& scene, const BodyDesc& body, Issue where, const Mesh& mesh, Issues& issues,
                          Issues& warnings);

}  // namespace clearance
