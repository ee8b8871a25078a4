// Where in a scene a key belongs: for messages about keys that stand in the wrong object.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clearance {

/// What to do about a key that `place` does not have: the nearest of its `known` keys, the place below it, or anywhere
/// else in a scene, where a key of that name (or what other programs call so: `E`, `dt`, ...) belongs, or all it has.
std::string hint_for_key(std::string_view key, const std::string& place, const std::vector<std::string_view>& known);

}  // namespace clearance
