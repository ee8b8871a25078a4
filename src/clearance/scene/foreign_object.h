// The values of one object of a JSON scene of another program. Missing and null values are the defaults of that
// program; keys that begin with `#` are commented out; vectors may be longer than needed.
#pragma once

#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/math/types.h"
#include "clearance/scene/field.h"
#include "clearance/scene/json.h"

namespace clearance {

class ForeignObject {
 public:
  /// `json` and `issues` must outlive it. A value that is not an object counts as an empty one, after an issue.
  ForeignObject(const Json& json, std::string place, Issues& issues);

  /// Returns the value of a key; null if the key is missing.
  const Json* find(const char* key) const;
  bool has(const char* key) const { return find(key) != nullptr; }
  ForeignObject child(const char* key) const;

  /// Returns the number at a key, or the default, after an issue, if it is not a number or out of range.
  double number(const char* key, double usual, const Field& range = {}) const;
  int integer(const char* key, int usual) const;
  bool flag(const char* key, bool usual) const;
  std::string word(const char* key, const std::string& usual) const;
  /// Returns the list of numbers at a key, or, after an issue, the default, which determines the number of entries.
  std::vector<double> numbers(const char* key, std::vector<double> usual) const;
  /// Reads the first `dim` entries; the others are those of the default.
  Vec<3> vector(const char* key, int dim, const Vec<3>& usual = Vec<3>::Zero()) const;
  /// Reads a quantity about axes: three numbers, in 2D one, alone or in a list.
  Vec<3> about_axes(const char* key, int dim) const;

  std::string place_of(const char* key) const { return child_path(place_, key); }
  const std::string& place() const { return place_; }
  void error(const char* key, const std::string& message) const { report(key, message, Severity::error); }
  void warning(const char* key, const std::string& message) const { report(key, message, Severity::warning); }
  /// Warns of keys that are neither known nor commented out, once per key for all objects that share `reported`.
  void warn_of_unknown_keys(const std::vector<std::string_view>& known, std::vector<std::string>& reported) const;

  Issues& issues() const { return issues_; }

 private:
  void report(const char* key, const std::string& message, Severity severity) const;
  void report_type(const char* key, const std::string& expected) const;

  const Json& json_;
  std::string place_;
  Issues& issues_;
};

}  // namespace clearance
