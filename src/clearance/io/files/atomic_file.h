// Writing that no reader sees half done, and no kill leaves half done.
#pragma once

#include <filesystem>
#include <string_view>

#include "clearance/base/result.h"

namespace clearance {

/// Writes `path` + ".tmp" and renames it: the old file or the new one, never a part, however the process ends. After a
/// failure the old file is as it was. In folders of our own, one writer at a time: the next one takes the place of what
/// a kill has left.
Result<Done> write_file_atomically(const std::filesystem::path& path, std::string_view bytes);
/// The same among files of the user: the temporary file is a new one, with the number of the process in its name.
Result<Done> write_user_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Appends to a file, all or nothing as long as the process lives.
Result<Done> append_to_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace clearance
