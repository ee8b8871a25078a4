// Files that hold many shapes with places and with values over time: Universal Scene Description in its text form, and
// Alembic. A path may name one shape and those below it: `stage.usda</World/ball>`, `cache.abc</World/ball>`.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/math/types.h"

namespace clearance {

/// Returns true for `.usda`, its relatives and `.abc`, with or without the path of a shape behind it. Vertices of such
/// files are read in metres and with y upwards.
bool is_stage_path(const std::filesystem::path& path);

/// Divides `stage.usda</World/ball>` into the file and the path of a shape; that is empty for the whole stage.
std::pair<std::filesystem::path, std::string> split_stage_path(const std::filesystem::path& path);

/// Returns the vertices of the mesh that read_mesh makes of this path, at all times of its samples. They follow one
/// another at the smallest distance of two samples, with values linearly between these.
Result<std::vector<std::vector<Vec<3>>>> read_stage_samples(const std::filesystem::path& path);

}  // namespace clearance
