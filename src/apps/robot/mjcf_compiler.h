// From an MJCF file to MuJoCo's model, with what newer versions of MuJoCo do than the installed one.
#pragma once

#include <mujoco/mujoco.h>

#include <filesystem>
#include <memory>

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"

namespace clearance::robot {

struct MjModelDeleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
using MjModelPointer = std::unique_ptr<mjModel, MjModelDeleter>;

/// Null with the reasons in `issues`. Geoms of meshes without a mass weigh their density times the volume of the mesh,
/// as in MuJoCo 3, whatever the installed version makes of it.
MjModelPointer compile_mjcf(const std::filesystem::path& path, Issues& issues);

/// The triangles of a mesh, in the frame that MuJoCo gives it.
Mesh mesh_of(const mjModel& model, int id);

}  // namespace clearance::robot
