// The unknowns of a scene, and how vertices follow from them.
#pragma once

#include "clearance/simulation/scene_model.h"

namespace clearance {

/// Joins the meshes of all bodies and gives every body its blocks: a block per vertex, or 1 + dim for a stiff body or
/// part. Fills frame_mesh, vertex_map and first_block, the model's layout, x_rest, ties, surface and surface map.
void build_unknowns(const SceneDesc& desc, SceneModel& scene);

}  // namespace clearance
