// JSON text with comments to a JSON value. Syntax errors name line and column; a key given twice is an error, because
// one of its values would be lost silently.
#pragma once

#include <string_view>

#include "clearance/base/result.h"
#include "clearance/scene/json.h"

namespace clearance {

/// `file` of the issues is left empty.
Result<Json> parse_json_text(std::string_view text);

/// `line 3, column 14` of a byte offset.
std::string line_and_column(std::string_view text, std::size_t offset);

}  // namespace clearance
