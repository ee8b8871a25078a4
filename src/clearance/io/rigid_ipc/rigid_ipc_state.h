// Where a saved simulation of Rigid IPC has come to.
#pragma once

#include "clearance/io/rigid_ipc/rigid_ipc_values.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Moves the bodies of `scene`, which are as they start, to the last of the stored states, gives them its velocities
/// and takes the time that has passed from the duration and the motions. A warning, and nothing else, if there are no
/// states that fit the bodies. `animation` holds `state_sequence`, whose first state is the start: it tells which
/// frames the bodies have there.
void restore_rigid_ipc_state(const RigidIpcObject& animation, SceneDesc& scene);

}  // namespace clearance
