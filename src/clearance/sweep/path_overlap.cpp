#include "clearance/sweep/path_overlap.h"

#include <algorithm>
#include <vector>

namespace clearance::sweep {
namespace {

/// Splits a path into its steps: `bodies[00].type` becomes `bodies`, `0`, `type`.
std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> steps;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find_first_of(".[]", begin), path.size());
    std::string step = path.substr(begin, end - begin);
    if (begin > 0 && path[begin - 1] == '[') step.erase(0, std::min(step.find_first_not_of('0'), step.size() - 1));
    if (!step.empty()) steps.push_back(std::move(step));
    begin = end + 1;
  }
  return steps;
}

/// True for the path that sets the type of all bodies, which is no part of their list.
bool is_type_of_all(const std::vector<std::string>& steps) {
  return steps == std::vector<std::string>{"bodies", "type"};
}

}  // namespace

bool is_part_of(const std::string& part, const std::string& whole) {
  const std::vector<std::string> inner = steps_of(part), outer = steps_of(whole);
  if (is_type_of_all(outer) && inner.size() >= 3 && inner[0] == "bodies" && inner[2] == "type") return true;
  return outer.size() <= inner.size() && std::equal(outer.begin(), outer.end(), inner.begin());
}

bool do_overlap(const std::string& first, const std::string& second) {
  return is_part_of(first, second) || is_part_of(second, first);
}

bool has_part(const std::string& whole, const Json& value, const std::string& part) {
  if (!is_part_of(part, whole)) return false;
  const std::vector<std::string> inner = steps_of(part);
  // Setting the type of all bodies and then that of one body loses nothing.
  if (is_type_of_all(steps_of(whole)) && !is_type_of_all(inner)) return false;
  const Json* at = &value;
  for (std::size_t i = steps_of(whole).size(); i < inner.size(); ++i) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (at->is_object() && at->contains(inner[i])) {
      at = &(*at)[inner[i]];
    } else if (at->is_array() && inner[i].size() < 9 && std::all_of(inner[i].begin(), inner[i].end(), is_digit) &&
               std::stoul(inner[i]) < at->size()) {
      at = &(*at)[std::stoul(inner[i])];
    } else {
      // Returns true for a number or a text, which has no parts; setting a part of it is refused elsewhere.
      return !at->is_structured();
    }
  }
  return true;
}

}  // namespace clearance::sweep
