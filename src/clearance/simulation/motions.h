// Scripted motions: which nodes they move, and where to.
#pragma once

#include "clearance/base/result.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// Finds the nodes of all motions and checks their files: problems and regions without nodes go to scene.issues.
void prepare_motions(const SceneDesc& desc, SceneModel& scene);

/// Where the scripted blocks are at the end of the step that starts at state.time. Marks motions as released and takes
/// the anchors of motions that begin. No value if a formula is not finite or a file cannot be read.
Result<PrescribedTargets> find_targets(const SceneModel& scene, State& state);

}  // namespace clearance
