// The program clearance-mesh as a process: meshes in and out as files of a temporary folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"
#include "clearance/io/files/child_program.h"

namespace clearance {

/// Where clearance-mesh is (`find_program`): what CLEARANCE_MESH names, beside the running program, or on the PATH.
std::filesystem::path find_mesh_program();

struct ProgramMesh {
  Result<Mesh> mesh;  ///< issues: there is no such program, or what it says
  ChildEnd end = ChildEnd::failed;
  double seconds = 0.0;  ///< [s] of processor time
};

/// `clearance-mesh COMMAND input output OPTIONS...`
ProgramMesh run_mesh_program(const std::string& command, const Mesh& input, const std::vector<std::string>& options);

}  // namespace clearance
