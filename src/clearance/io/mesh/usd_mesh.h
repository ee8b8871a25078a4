// Meshes of USD's text form: what all prims of a stage, or one and those below it, show, in metres and with y upwards.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/math/types.h"

namespace clearance {

/// Returns true for `.usda` and its relatives, with or without a prim behind it: `stage.usda</World/ball>`.
bool is_usd_path(const std::filesystem::path& path);

/// Divides `stage.usda</World/ball>` into the file and the path of a prim; that is empty for the whole stage.
std::pair<std::filesystem::path, std::string> split_usd_path(const std::filesystem::path& path);

/// Returns the vertices of the mesh that read_mesh makes of this path, at all times of its samples. They follow one
/// another at the smallest distance of two samples, with values linearly between these.
Result<std::vector<std::vector<Vec<3>>>> read_usd_samples(const std::filesystem::path& path);

}  // namespace clearance
