// The unknowns of a scene, and the maps from them to vertices.
#pragma once

#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// Joins the meshes of all bodies and gives every body its blocks: one block per vertex, or 1 + dim blocks for a stiff
/// body or part. Fills frame_mesh, vertex_map and blocks, and the model's layout, x_rest, ties, surface and surface
/// map.
void build_unknowns(const SceneDesc& desc, SceneModel& scene);

}  // namespace clearance
