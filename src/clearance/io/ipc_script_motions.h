// The named scripts (`script twist`) of the IPC reference as native motions.
#pragma once

#include "clearance/io/ipc_script.h"
#include "clearance/io/ipc_script_placement.h"

namespace clearance {

/// What a named script works on. `bodies[i]` is `shapes[i]`; colliders of `meshCO` are not among them.
struct IpcModel {
  const IpcScript& script;
  std::vector<PlacedShape>& shapes;
  std::vector<BodyDesc>& bodies;
  const Box& mesh_obstacles;  ///< of all `meshCO`
  Issues& issues;
};

/// Moves shapes (`fall` lifts all) and adds motions and start velocities to the bodies. A script that is not known or
/// not supported is an error, because it would change the motion.
void apply_named_script(IpcModel& model);

}  // namespace clearance
