#include "clearance/scene/probe_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/scene/nearest_name.h"

namespace clearance {

std::string name_of_column(const std::string& label) {
  return label.substr(0, label.rfind(" ["));
}

std::string unit_of_column(const std::string& label) {
  return label.substr(label.rfind(" ["));
}

Result<std::vector<std::size_t>> find_columns(const std::vector<std::string>& columns,
                                              const std::vector<std::string>& wanted, const std::string& option) {
  std::vector<std::size_t> places;
  Issues issues;
  for (const std::string& name : wanted) {
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const std::string& label) {
      return label == name || name_of_column(label) == name;
    });
    if (found != columns.end()) {
      places.push_back(static_cast<std::size_t>(found - columns.begin()));
      continue;
    }
    std::vector<std::string> names;
    for (const std::string& label : columns) names.push_back(name_of_column(label));
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string_view nearest = nearest_name(name, known);
    issues.push_back({"", option, name,
                      nearest.empty() ? "no probe has this column; expected one of " + quoted_list(known)
                                      : fmt::format("no probe has this column; did you mean `{}`?", nearest)});
  }
  if (!issues.empty()) return issues;
  return places;
}

}  // namespace clearance
