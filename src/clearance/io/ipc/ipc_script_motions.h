// The named scripts (`script twist`) of the IPC reference as native motions, loads and start velocities.
#pragma once

#include "clearance/io/ipc/ipc_script.h"
#include "clearance/io/ipc/ipc_script_placement.h"

namespace clearance {

/// What a named script works on. The first bodies of the scene are the shapes, in their order; then come the colliders
/// of `meshCO`. Named scripts move shapes (`fall` lifts all) and may add bodies.
struct IpcModel {
  const IpcScript& script;
  std::vector<PlacedShape>& shapes;
  const std::vector<PlacedShape>& mesh_obstacles;  ///< of all `meshCO`
  SceneDesc& scene;
  std::vector<double>& obstacle_friction;  ///< per body of the scene, as the script says it
  Issues& issues;
};

/// A script that is not known or not possible is an error, because it would change the motion.
void apply_named_script(IpcModel& model);

/// Does the script move single copies of a `shapeMatrix`?
bool moves_single_shapes(const IpcScript& script);

}  // namespace clearance
