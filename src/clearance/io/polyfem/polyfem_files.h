// PolyFEM scenes are composed of files: `common` names one that the others are merged into.
#pragma once

#include <filesystem>
#include <functional>

#include "clearance/base/result.h"
#include "clearance/scene/json.h"

namespace clearance {

/// The JSON value of a file, or what is wrong with it, with the file named.
using JsonFileReader = std::function<Result<Json>(const std::filesystem::path&)>;

/// `scene` merged into the file that its `common` names (RFC 7386: objects merge, all else replaces, null deletes), and
/// so on, then changed by its `patch` (RFC 6902). Files are looked for beside the one that names them, then in what its
/// `root_path` means.
Result<Json> compose_polyfem(const Json& scene, const std::filesystem::path& path, const JsonFileReader& read_json);

/// The folder that `root_path` of a scene means, which paths in it are relative to: itself, or, where it is one of
/// another machine, the folder of the same name above the scene. Empty if there is none.
std::filesystem::path find_polyfem_root(const Json& scene, const std::filesystem::path& path);

/// Where a file that `scene` names is, as a path for the native scene beside it; empty if there is none. Beside the
/// scene, in `root`, or, if the name goes through a folder `data`, in the stored copy of polyfem-data above the scene.
std::string find_polyfem_file(const std::string& name, const std::filesystem::path& scene,
                              const std::filesystem::path& root = {});

}  // namespace clearance
