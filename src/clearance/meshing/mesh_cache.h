// Volume meshes that were made before, by what they were made of.
#pragma once

#include <filesystem>

#include "clearance/meshing/volume_mesh.h"

namespace clearance {

/// Where they are kept: CLEARANCE_CACHE, else clearance/ in XDG_CACHE_HOME or in ~/.cache. Empty: nowhere.
std::filesystem::path cache_folder();

/// 16 hexadecimal digits of the content of a surface and the options: the name of its mesh.
std::string volume_mesh_key(const Mesh& given, const VolumeMeshOptions& options);

/// The mesh kept under that name, or a new one that is kept if the folder can be written. Nothing else in the folder is
/// touched; what is not readable there is made anew. The mesh is the same in either case, bit for bit.
Result<VolumeMesh> cached_volume_mesh(const Mesh& given, const VolumeMeshOptions& options);

}  // namespace clearance
