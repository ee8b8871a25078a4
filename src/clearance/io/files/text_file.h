// A whole text file at once.
#pragma once

#include <filesystem>
#include <string>

#include "clearance/base/result.h"

namespace clearance {

/// Scenes larger than this are refused: no scene is, and a wrong file such as a mesh may be.
inline constexpr std::uintmax_t max_scene_bytes = 64U << 20U;

/// Is it there, a file, and no larger? Nothing is read.
Result<Done> check_text_file(const std::filesystem::path& path);

/// The whole text, without a byte order mark and with `\n` for every line break (`text_lines.h`).
Result<std::string> read_text_file(const std::filesystem::path& path);

}  // namespace clearance
