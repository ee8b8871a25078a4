// Checks that need the meshes of a scene: whether elements can adapt as the scene asks.
#pragma once

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// Checks a deformable body whose elements adapt, with its mesh placed in the scene and at rest. Finds no problems in
/// other bodies.
void check_remesh_of_mesh(const SceneDesc& scene, const BodyDesc& body, Issue where, const Mesh& mesh, Issues& issues,
                          Issues& warnings);

/// Warns of bodies that stiff parts and motions hold completely for the whole duration of the scene.
void warn_of_bodies_that_cannot_adapt(const SceneDesc& desc, const SceneModel& scene, Issues& hints);

}  // namespace clearance
