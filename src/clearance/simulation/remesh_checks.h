// What only the meshes of a scene tell: whether elements can adapt as it wants.
#pragma once

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// Of a deformable body whose elements adapt, with its mesh where the scene has it at rest. Others have no problems.
void check_remesh_of_mesh(const SceneDesc& scene, const BodyDesc& body, Issue where, const Mesh& mesh, Issues& issues,
                          Issues& warnings);

/// Bodies that stiff parts and motions hold all of, for as long as the scene lasts.
void warn_of_bodies_that_cannot_adapt(const SceneDesc& desc, const SceneModel& scene, Issues& hints);

}  // namespace clearance
