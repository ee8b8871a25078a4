// Writing of files so that no reader sees, and no kill leaves, a half-written file.
#pragma once

#include <filesystem>
#include <string_view>

#include "clearance/base/result.h"

namespace clearance {

/// Writes `path` + ".tmp" and renames it: the result is the old file or the new one, never a part, however the process
/// ends. After a failure the old file is unchanged. Use it in the program's own folders, with one writer at a time: the
/// next writer overwrites what a killed one has left.
Result<Done> write_file_atomically(const std::filesystem::path& path, std::string_view bytes);
/// Does the same for files of the user: the temporary file is a new one, with the process number in its name.
Result<Done> write_user_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Appends to a file, all or nothing as long as the process lives.
Result<Done> append_to_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace clearance
