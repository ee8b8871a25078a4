// The program clearance-mesh as a child process. Meshes are passed as files of a temporary folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"
#include "clearance/io/files/child_program.h"

namespace clearance {

/// Returns the path of clearance-mesh (`find_program`): the path in CLEARANCE_MESH, or the program beside the running
/// one or on the PATH.
std::filesystem::path find_mesh_program();

struct ProgramMesh {
  Result<Mesh> mesh;  ///< issues: the program was not found, or reported an error
  ChildEnd end = ChildEnd::failed;
  double seconds = 0.0;  ///< [s] processor time
};

/// Runs `clearance-mesh COMMAND input output OPTIONS...`
ProgramMesh run_mesh_program(const std::string& command, const Mesh& input, const std::vector<std::string>& options);

}  // namespace clearance
