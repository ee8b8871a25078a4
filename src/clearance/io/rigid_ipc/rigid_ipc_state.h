// State that a saved simulation of Rigid IPC has reached.
#pragma once

#include "clearance/io/rigid_ipc/rigid_ipc_values.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Moves the bodies of `scene`, which are at their start, to the last of the stored states, gives them its velocities,
/// and subtracts the elapsed time from the duration and the motions. Only warns if no stored states fit the bodies.
/// `animation` holds `state_sequence`, whose first state is the start; it gives the frames of the bodies there.
void restore_rigid_ipc_state(const RigidIpcObject& animation, SceneDesc& scene);

}  // namespace clearance
