// PolyFEM scenes are composed of files: `common` names one that the others are merged into.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/json.h"

namespace clearance {

/// The JSON value of a file, or what is wrong with it, with the file named.
using JsonFileReader = std::function<Result<Json>(const std::filesystem::path&)>;

/// `scene` merged into the file that its `common` names (RFC 7386: objects merge, all else replaces, null deletes), and
/// so on, then changed by its `patch` (RFC 6902). Files are looked for beside the one that names them, then in what its
/// `root_path` means; a `root_path` in the file of `common` overrides that of the scene, as in PolyFEM.
Result<Json> compose_polyfem(const Json& scene, const std::filesystem::path& path, const JsonFileReader& read_json);

/// The folder that `root_path` of a scene means, which paths in it are relative to: the path itself, the folder of the
/// file that it names, or, where it is a path of another machine, the folder of the same name above the scene. Empty if
/// there is none.
std::filesystem::path find_polyfem_root(const Json& scene, const std::filesystem::path& path);

/// Where a file that `scene` names is, as a path for the native scene beside it; empty if there is none. Beside the
/// scene, in `root`, or, if the name goes through a folder `data`, in the stored copy of polyfem-data above the scene.
std::string find_polyfem_file(const std::string& name, const std::filesystem::path& scene,
                              const std::filesystem::path& root = {});

/// The files of a folder, or those whose names match a pattern with `*` and `?` in its last part, in natural order (2
/// before 10), as paths for the native scene. Looked for as by find_polyfem_file; empty if there are none.
std::vector<std::string> find_polyfem_files(const std::string& pattern, const std::filesystem::path& scene,
                                            const std::filesystem::path& root = {});

}  // namespace clearance
