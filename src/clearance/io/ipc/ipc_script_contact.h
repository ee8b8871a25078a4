// Contact and friction of an IPC script as the scene says them.
#pragma once

#include "clearance/io/ipc/ipc_script.h"

namespace clearance {

ContactDesc contact_of(const IpcScript& script, ContactDesc contact, Issues& issues);
FrictionDesc friction_of(const IpcScript& script, FrictionDesc friction, Issues& issues);

/// `friction` has the coefficient of every body beyond the shapes, as the script says it. Bodies must have names.
void set_obstacle_friction(const std::vector<double>& friction, std::size_t num_shapes, SceneDesc& scene);
void warn_of_obstacle_friction(const IpcScript& script, Issues& issues);

/// `selfCollisionOff`. The first bodies of the scene are the shapes of the script.
void switch_off_self_collision(const IpcScript& script, SceneDesc& scene, Issues& issues);

}  // namespace clearance
