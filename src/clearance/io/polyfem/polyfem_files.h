// PolyFEM scenes are composed of files: `common` names one that the others are merged into.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/json.h"

namespace clearance {

/// Reads the JSON value of a file. On failure, the issues name the file.
using JsonFileReader = std::function<Result<Json>(const std::filesystem::path&)>;

/// Merges `scene` into the file that its `common` names (RFC 7386: objects merge, all else replaces, null deletes), and
/// so on, then applies its `patch` (RFC 6902). Files are searched beside the one that names them, then in the folder
/// that its `root_path` means. A `root_path` in the file of `common` overrides that of the scene, as in PolyFEM.
Result<Json> compose_polyfem(const Json& scene, const std::filesystem::path& path, const JsonFileReader& read_json);

/// Returns the folder that `root_path` of a scene means; paths in the scene are relative to it. It is the path itself,
/// the folder of the file that the path names, or, for a path of another machine, the folder of the same name above the
/// scene. Returns an empty path if there is none.
std::filesystem::path find_polyfem_root(const Json& scene, const std::filesystem::path& path);

/// Returns the location of a file that `scene` names, as a path for the native scene beside it; empty if there is no
/// such file. Searches beside the scene, in `root`, and, if the name passes through a folder `data`, in the stored copy
/// of polyfem-data above the scene.
std::string find_polyfem_file(const std::string& name, const std::filesystem::path& scene,
                              const std::filesystem::path& root = {});

/// Returns the files of a folder, or those whose names match a pattern with `*` and `?` in its last part, in natural
/// order (2 before 10), as paths for the native scene. Searches as find_polyfem_file does. Returns an empty list if
/// there are none.
std::vector<std::string> find_polyfem_files(const std::string& pattern, const std::filesystem::path& scene,
                                            const std::filesystem::path& root = {});

}  // namespace clearance
