// Cache of volume meshes, addressed by the surface and the options that they were made from.
#pragma once

#include <filesystem>

#include "clearance/meshing/volume_mesh.h"

namespace clearance {

/// Returns the folder of the cache: CLEARANCE_CACHE, else clearance/ in XDG_CACHE_HOME or in ~/.cache. Returns an empty
/// path if there is none.
std::filesystem::path cache_folder();

/// Returns the name of a mesh: 16 hexadecimal digits computed from the content of the surface and the options.
std::string volume_mesh_key(const Mesh& given, const VolumeMeshOptions& options);

/// Returns the mesh kept under that name, or makes a new one and keeps it if the folder can be written. Touches nothing
/// else in the folder and replaces unreadable files. The mesh is the same in either case, bit for bit.
Result<VolumeMesh> cached_volume_mesh(const Mesh& given, const VolumeMeshOptions& options);

}  // namespace clearance
