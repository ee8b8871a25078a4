// The JSON type of scene files: objects keep the order of their keys. How one of its values is shown in a message.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace clearance {

using Json = nlohmann::ordered_json;

/// The value on one line, shortened in the middle of long texts; never fails.
std::string brief_text(const Json& value);
/// `a number`, `an object`, `true or false`, ...
std::string type_text(const Json& value);
/// One key of a path: `.key`, or `["odd key"]`.
std::string path_step(const std::string& key);
/// The path of a child: `bodies[2].material` + `density`; the root's path is empty.
std::string child_path(const std::string& parent, const std::string& key);
std::string element_path(const std::string& parent, std::size_t index);

/// Readable text: one key per line, arrays of plain values on one line, doubles with as many digits as bring the same
/// double back.
std::string to_text(const Json& value);

/// Where two values differ, with both: `bodies[0].friction was 0.3 and is now 0.5`. The first `limit` of all places.
std::vector<std::string> find_differences(const Json& before, const Json& now, std::size_t limit);

}  // namespace clearance
