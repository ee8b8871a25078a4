// Splitting of the lines of probes.csv.
#pragma once

#include <string_view>
#include <vector>

namespace clearance {

/// Returns the cells of a line of probes.csv, which has neither quotes nor commas within a cell. An empty cell at the
/// end of the line is left out: readers take cells that are missing as empty. The cells refer to the characters of
/// `line`.
std::vector<std::string_view> probe_cells(std::string_view line);

}  // namespace clearance
