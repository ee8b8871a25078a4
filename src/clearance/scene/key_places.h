// Places of keys in a scene, for messages about keys in the wrong object.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clearance {

/// Returns a hint for a key that `place` does not have: the nearest of its `known` keys; the place, below it or
/// elsewhere in a scene, where a key of that name belongs (also by its name in other programs: `E`, `dt`, ...); or all
/// known keys.
std::string hint_for_key(std::string_view key, const std::string& place, const std::vector<std::string_view>& known);

}  // namespace clearance
