// Writes meshes to files. The extension chooses the format. Coordinates are written with the fewest digits that read
// back to the same double. For that reason .stl files are ASCII: binary ones hold float32 only.
#pragma once

#include <filesystem>

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"

namespace clearance {

enum class GmshVersion { v2_2, v4_1 };

struct MeshWriteOptions {
  GmshVersion gmsh_version = GmshVersion::v4_1;
};

/// Writes .msh, .obj, .ply, .stl, .off or .vtu through `path` + ".tmp" and a rename: a reader never sees half a file.
/// A mesh with elements that the format cannot hold (tets in an .obj; curved ones anywhere but in .msh and .vtu) is
/// refused rather than written without them.
Result<Done> write_mesh(const std::filesystem::path& path, const Mesh& mesh, const MeshWriteOptions& options = {});

}  // namespace clearance
