// Time, contact, friction and solver settings of a Rigid IPC scene.
#pragma once

#include "clearance/io/rigid_ipc/rigid_ipc_values.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Reads everything but the bodies. Distances and speeds that the reference scales by the diagonal [m] of the box
/// around all bodies at the start become absolute.
void read_rigid_ipc_settings(const RigidIpcObject& root, double diagonal, SceneDesc& scene);

/// Reads the time step and duration, which do not depend on the bodies.
TimeDesc read_rigid_ipc_time(const RigidIpcObject& root);

/// Warns of the keys that the reference reports as unknown too.
void warn_of_unknown_rigid_ipc_settings(const RigidIpcObject& root);

}  // namespace clearance
