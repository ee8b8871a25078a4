// The named scripts (`script twist`) of the IPC reference as native motions, loads and start velocities.
#pragma once

#include "clearance/io/ipc/ipc_script.h"
#include "clearance/io/ipc/ipc_script_placement.h"

namespace clearance {

/// Data that a named script works on. The first bodies of the scene are the shapes, in their order; the colliders of
/// `meshCO` follow. Named scripts move shapes (`fall` lifts all of them) and may add bodies.
struct IpcModel {
  const IpcScript& script;
  std::vector<PlacedShape>& shapes;
  const std::vector<PlacedShape>& mesh_obstacles;  ///< colliders of all `meshCO`
  SceneDesc& scene;
  std::vector<double>& obstacle_friction;  ///< per body of the scene, as the script says it
  Issues& issues;
};

/// Applies the named script. An unknown or impossible script is an error, because leaving it out would change the
/// motion.
void apply_named_script(IpcModel& model);

/// True if the script moves single copies of a `shapeMatrix`.
bool moves_single_shapes(const IpcScript& script);

}  // namespace clearance
