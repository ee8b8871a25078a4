// The known name that a misspelt one probably means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clearance {

/// Returns the least number of insertions, deletions, replacements and swaps of neighbours that turn one word into the
/// other (optimal string alignment); case does not count.
int edit_distance(std::string_view a, std::string_view b);

/// Returns the closest of the known names, or an empty name if none is close enough to be a misspelling or an
/// abbreviation.
std::string_view nearest_name(std::string_view word, const std::vector<std::string_view>& known);

/// Returns the known names that a word of another program or field means: `stress` is `von_mises` or
/// `principal_stress`.
std::vector<std::string_view> names_meant_by(std::string_view word, const std::vector<std::string_view>& known);

/// Returns "`a`, `b`, `c`"
std::string quoted_list(const std::vector<std::string_view>& names);

}  // namespace clearance
