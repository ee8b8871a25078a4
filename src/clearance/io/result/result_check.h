// Check that a folder is a result of this program, with one wording for all commands that read results.
#pragma once

#include <filesystem>

#include "clearance/base/result.h"

namespace clearance {

/// Returns an issue if `path` is not a folder, or is a folder without `file` that is no result. The readers report
/// other missing files.
Result<Done> check_result_folder(const std::filesystem::path& path, const char* file);

}  // namespace clearance
