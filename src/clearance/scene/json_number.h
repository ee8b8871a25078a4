// Words that look like numbers, but are none in JSON.
#pragma once

#include <string>
#include <string_view>

namespace clearance {

/// Returns what is wrong with a word that other languages read as a number (`NaN`, `-Infinity`, `1e400`); empty for
/// numbers of JSON and for all other words.
std::string problem_of_number(std::string_view word);

}  // namespace clearance
