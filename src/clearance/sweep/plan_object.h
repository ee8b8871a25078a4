// One object of a plan: typed values with every problem noted, and keys that nobody asked for.
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
  /// What is no object counts as an empty one, after an issue. `json` and `issues` outlive it.
  PlanObject(const Json& json, std::string place, Issues& issues);

  /// Null if the key is missing. From now on the key is known.
  const Json* find(std::string_view key);
  std::optional<double> number(std::string_view key);
  std::optional<long long> integer(std::string_view key, long long min, long long max);
  std::optional<std::string> text(std::string_view key);
  bool flag(std::string_view key, bool usual);
  /// Index into `names`; nothing, after an issue unless the key is missing, if it is none of them.
  std::optional<std::size_t> word(std::string_view key, const std::vector<std::string_view>& names);
  /// Entries of a list; none, after an issue, if it is no list or an empty one.
  const Json* list(std::string_view key);
  /// An issue for each key that nobody has asked for.
  void refuse_other_keys();

  std::string place_of(std::string_view key) const { return child_path(place_, std::string(key)); }
  const std::string& place() const { return place_; }
  void error(std::string_view key, std::string message);
  void error(std::string_view key, const Json& value, std::string message);
  /// Of the object itself.
  void error(std::string message);

 private:
  const Json* json_;
  std::string place_;
  Issues& issues_;
  std::vector<std::string> known_;
};

}  // namespace clearance::sweep
