// Is a folder a result of this program? One wording for all commands that read results.
#pragma once

#include <filesystem>

#include "clearance/base/result.h"

namespace clearance {

/// An issue if `path` is no folder, or a folder without `file` that is no result. What else is missing in a result is
/// told by those who read it.
Result<Done> check_result_folder(const std::filesystem::path& path, const char* file);

}  // namespace clearance
