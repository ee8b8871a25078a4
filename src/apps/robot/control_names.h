// Names of controls that formulas can contain.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "clearance/scene/expression.h"

namespace clearance::robot {

/// Returns the name with every character but letters and digits replaced by `_`, made different from the others' names.
inline std::string control_name(std::string name, const std::vector<ControlDesc>& others) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(0, "u_");
  if (!problem_of_control_name(name).empty()) name.insert(0, "u_");
  const std::string base = name;
  const auto is_taken = [&] {
    return std::any_of(others.begin(), others.end(), [&](const ControlDesc& other) { return other.name == name; });
  };
  for (int next = 2; is_taken(); ++next) name = base + '_' + std::to_string(next);
  return name;
}

}  // namespace clearance::robot
