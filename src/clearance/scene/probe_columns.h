// Labels of columns of probes, `tip.y [m]`, and the columns that a user names.
#pragma once

#include <string>
#include <vector>

#include "clearance/base/result.h"

namespace clearance {

/// Returns the label without its unit.
std::string name_of_column(const std::string& label);
/// Returns the unit of a label with its brackets and the space before it: ` [m]`.
std::string unit_of_column(const std::string& label);

/// Returns the places of the columns that `wanted` means, `tip.y` or `tip.y [m]`. Issues at the option `option`: names
/// that no column has, with the nearest one.
Result<std::vector<std::size_t>> find_columns(const std::vector<std::string>& columns,
                                              const std::vector<std::string>& wanted, const std::string& option);

}  // namespace clearance
