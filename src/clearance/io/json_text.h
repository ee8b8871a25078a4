// Converts JSON text with comments to a JSON value. Syntax errors name line and column. A repeated key is an error,
// because one of its values would be lost silently.
#pragma once

#include <filesystem>
#include <string_view>

#include "clearance/base/result.h"
#include "clearance/scene/json.h"

namespace clearance {

/// Parses the text. Leaves `file` of the issues empty.
Result<Json> parse_json_text(std::string_view text);

/// Reads a file and parses its text. Issues name the file.
Result<Json> read_json(const std::filesystem::path& path);

/// Returns the place of a byte offset as `line 3, column 14`.
std::string line_and_column(std::string_view text, std::size_t offset);

}  // namespace clearance
