// One body of a Rigid IPC scene.
#pragma once

#include <map>
#include <optional>

#include "clearance/io/rigid_ipc/rigid_ipc_meshes.h"
#include "clearance/io/rigid_ipc/rigid_ipc_values.h"
#include "clearance/scene/scene.h"

namespace clearance {

struct RigidIpcBody {
  BodyDesc desc;
  BoundingBox box;  ///< of all vertices at the start
};

/// Data that the bodies of a scene share.
struct RigidIpcBodies {
  int dim = 3;
  double step = 0.01;  ///< [s]
  RigidIpcMeshes meshes;
  std::vector<std::string> reported_keys = {};
};

/// Reads one body. Returns nothing if the body is not enabled, or after issues. The collision group is that of the
/// file.
std::optional<RigidIpcBody> read_rigid_ipc_body(const RigidIpcObject& body, RigidIpcBodies& shared);

/// Joins the collision groups of obstacles. In the reference, bodies that forces never move form one group, together
/// with all dynamic bodies that share the group number of one of them.
void join_groups_of_obstacles(std::vector<BodyDesc>& bodies);

}  // namespace clearance
