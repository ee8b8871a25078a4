// The known name that a misspelt one probably means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clearance {

/// Least number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other
/// (optimal string alignment); case does not count.
int edit_distance(std::string_view a, std::string_view b);

/// The closest of the known names, or empty if none is close enough to be a misspelling or an abbreviation.
std::string_view nearest_name(std::string_view word, const std::vector<std::string_view>& known);

/// Those of the known names that are meant by a word of another program or field: `stress` is `von_mises` or
/// `principal_stress`.
std::vector<std::string_view> names_meant_by(std::string_view word, const std::vector<std::string_view>& known);

/// "`a`, `b`, `c`"
std::string quoted_list(const std::vector<std::string_view>& names);

}  // namespace clearance
