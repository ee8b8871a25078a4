// The JSON type of scene files: objects keep the order of their keys. Also the text of a JSON value in messages.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace clearance {

using Json = nlohmann::ordered_json;

/// Returns the value on one line; long texts are shortened. Never fails.
std::string brief_text(const Json& value);
/// Returns the type of a value in words: `a number`, `an object`, `true or false`, ...
std::string type_text(const Json& value);
/// Returns one key of a path: `.key`, or `["odd key"]`.
std::string path_step(const std::string& key);
/// Returns the path of a child: `bodies[2].material` + `density`; the root's path is empty.
std::string child_path(const std::string& parent, const std::string& key);
std::string element_path(const std::string& parent, std::size_t index);

/// Returns readable text: one key per line, arrays of plain values on one line, doubles with enough digits to read back
/// the same double.
std::string to_text(const Json& value);

/// Returns the places where two values differ, each with both values: `bodies[0].friction was 0.3 and is now 0.5`.
/// Stops after the first `limit`.
std::vector<std::string> find_differences(const Json& before, const Json& now, std::size_t limit);

}  // namespace clearance
