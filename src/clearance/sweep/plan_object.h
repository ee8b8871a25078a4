// One object of a plan. Returns typed values, reports every problem, and refuses unknown keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/json.h"

namespace clearance::sweep {

class PlanObject {
 public:
  /// Opens an object. A value that is no object counts as an empty one, after an issue. `json` and `issues` must
  /// outlive this object.
  PlanObject(const Json& json, std::string place, Issues& issues);

  /// Returns the value of a key, or null if it is missing. From now on the key is known.
  const Json* find(std::string_view key);
  std::optional<double> number(std::string_view key);
  std::optional<long long> integer(std::string_view key, long long min, long long max);
  std::optional<std::string> text(std::string_view key);
  bool flag(std::string_view key, bool usual);
  /// Returns the index of the value in `names`. Returns nothing if the key is missing or, after an issue, if the value
  /// is none of them.
  std::optional<std::size_t> word(std::string_view key, const std::vector<std::string_view>& names);
  /// Returns the list under a key. Returns null if the key is missing or, after an issue, if the value is no list or an
  /// empty one.
  const Json* list(std::string_view key);
  /// Adds an issue for each key that is not known.
  void refuse_other_keys();

  std::string place_of(std::string_view key) const { return child_path(place_, std::string(key)); }
  const std::string& place() const { return place_; }
  void error(std::string_view key, std::string message);
  void error(std::string_view key, const Json& value, std::string message);
  /// Adds an issue about the object itself.
  void error(std::string message);

 private:
  const Json* json_;
  std::string place_;
  Issues& issues_;
  std::vector<std::string> known_;
};

}  // namespace clearance::sweep
