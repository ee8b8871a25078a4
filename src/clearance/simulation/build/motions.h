// Scripted motions: the nodes that they move, and the targets of these nodes.
#pragma once

#include "clearance/base/result.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// Finds the nodes of all motions and checks their files. Appends problems to scene.issues and motions that find no
/// node to scene.empty_regions. Marks the blocks of obstacles as always prescribed.
void prepare_motions(const SceneDesc& desc, SceneModel& scene);

/// Computes where the scripted blocks are at the end of the step that starts at state.time. Marks motions as released,
/// and stores the anchors of motions that begin. Fails if a formula is not finite or a file cannot be read.
Result<PrescribedTargets> find_targets(const SceneModel& scene, State& state);

}  // namespace clearance
