// Contact and friction of an IPC script as settings of the scene.
#pragma once

#include "clearance/io/ipc/ipc_script.h"

namespace clearance {

ContactDesc contact_of(const IpcScript& script, ContactDesc contact, Issues& issues);
FrictionDesc friction_of(const IpcScript& script, FrictionDesc friction, Issues& issues);

/// Sets the friction of obstacles. `friction` holds the script's coefficient of every body; those beyond the shapes are
/// used. Bodies must have names.
void set_obstacle_friction(const std::vector<double>& friction, std::size_t num_shapes, SceneDesc& scene);
void warn_of_obstacle_friction(const IpcScript& script, Issues& issues);

/// Applies `selfCollisionOff`. The first bodies of the scene are the shapes of the script.
void switch_off_self_collision(const IpcScript& script, SceneDesc& scene, Issues& issues);

}  // namespace clearance
