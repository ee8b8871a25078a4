// The targets of the nodes that scripted motions move.
#pragma once

#include "clearance/base/result.h"
#include "clearance/simulation/build/scene_model.h"
#include "clearance/solver/prescribed.h"

namespace clearance {

/// Computes where the scripted blocks are at the end of the step that starts at state.time. Marks motions as released,
/// and stores the anchors of motions that begin. Fails if a formula is not finite or a file cannot be read.
Result<PrescribedTargets> find_targets(const SceneModel& scene, State& state);

/// Sets the accelerations that `state`, the start of the scene, has (set_start_accelerations).
void start_accelerations(const SceneModel& scene, State& state);

}  // namespace clearance
