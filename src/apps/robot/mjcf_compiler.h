// Compilation of an MJCF file to MuJoCo's model, with additions for what newer versions of MuJoCo do and the installed
// one does not.
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

/// Compiles the file; returns null with the reasons in `issues` if that fails. A mesh geom without a mass weighs its
/// density times the volume of the mesh, as in MuJoCo 3, even if the installed version computes something else.
MjModelPointer compile_mjcf(const std::filesystem::path& path, Issues& issues);

/// Returns the triangles of a mesh in the frame that MuJoCo gives it.
Mesh mesh_of(const mjModel& model, int id);

}  // namespace clearance::robot
