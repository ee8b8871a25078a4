// Warnings about bodies that are too fast for the time step, from the start or by their weight.
#pragma once

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

/// Warns of bodies that move by more than half their size in the first step, if there is something to hit.
void warn_of_fast_bodies(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints);

/// Warns of hinges and prescribed bodies that are to turn by more than half a radian in a step, in statics by more than
/// half a turn: a step sees where a turn ends, and not the way there.
void warn_of_coarse_turns(const SceneDesc& desc, NamedHints& hints);

/// Warns of time steps in which gravity moves a free body by more than its size.
void warn_of_long_steps(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints);

}  // namespace clearance
