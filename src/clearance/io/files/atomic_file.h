// Writing that a reader, a kill or a power cut never sees half done.
#pragma once

#include <filesystem>
#include <string_view>

#include "clearance/base/result.h"

namespace clearance {

/// Writes `path` + ".tmp" and renames it: the old file or the new one, never a part, however the process ends. After a
/// failure the old file is as it was. One writer at a time.
Result<Done> write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Appends to a file, all or nothing as long as the process lives.
Result<Done> append_to_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace clearance
