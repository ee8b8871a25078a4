// A whole text file at once.
#pragma once

#include <filesystem>
#include <string>

#include "clearance/base/result.h"

namespace clearance {

/// Largest size of a scene file. No scene is larger, but a wrong file, such as a mesh, may be.
inline constexpr std::uintmax_t max_scene_bytes = 64U << 20U;

/// Checks that the path is an existing file within that size. Reads nothing.
Result<Done> check_text_file(const std::filesystem::path& path);

/// Returns the whole text, without a byte order mark and with `\n` for every line break (`text_lines.h`).
Result<std::string> read_text_file(const std::filesystem::path& path);

}  // namespace clearance
