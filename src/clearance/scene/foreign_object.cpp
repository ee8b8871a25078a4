#include "clearance/scene/foreign_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "clearance/scene/nearest_name.h"

namespace clearance {
namespace {

const Json& empty_object() {
  static const Json empty = Json::object();
  return empty;
}

}  // namespace

ForeignObject::ForeignObject(const Json& json, std::string place, Issues& issues)
    : json_(json.is_object() ? json : empty_object()), place_(std::move(place)), issues_(issues) {
  if (json.is_object()) return;
  issues_.push_back({"", place_, brief_text(json), "expected an object, not " + type_text(json)});
}

const Json* ForeignObject::find(const char* key) const {
  const auto found = json_.find(key);
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

ForeignObject ForeignObject::child(const char* key) const {
  const Json* value = find(key);
  return {value == nullptr ? empty_object() : *value, place_of(key), issues_};
}

double ForeignObject::number(const char* key, double usual, const Field& range) const {
  const Json* value = find(key);
  if (value == nullptr) return usual;
  if (!value->is_number()) {
    report_type(key, "a number");
    return usual;
  }
  const double number = value->get<double>();
  if (is_in_range(range, number)) return number;
  const std::string expected = range_text(range);
  error(key, expected.empty() ? "must be a finite number" : "must be " + expected);
  return usual;
}

int ForeignObject::integer(const char* key, int usual) const {
  const double value = number(key, usual);
  constexpr double largest = std::numeric_limits<int>::max();
  if (value == std::floor(value) && std::abs(value) <= largest) return static_cast<int>(value);
  error(key, fmt::format("must be a whole number, at most {:.0f}", largest));
  return usual;
}

bool ForeignObject::flag(const char* key, bool usual) const {
  const Json* value = find(key);
  if (value == nullptr) return usual;
  if (value->is_boolean()) return value->get<bool>();
  report_type(key, "true or false");
  return usual;
}

std::string ForeignObject::word(const char* key, const std::string& usual) const {
  const Json* value = find(key);
  if (value == nullptr) return usual;
  if (value->is_string()) return value->get<std::string>();
  report_type(key, "a string");
  return usual;
}

std::vector<double> ForeignObject::numbers(const char* key, std::vector<double> usual) const {
  const Json* value = find(key);
  if (value == nullptr) return usual;
  const std::string expected = fmt::format("{} numbers", usual.size());
  if (!value->is_array()) {
    report_type(key, expected);
    return usual;
  }
  if (value->size() < usual.size()) {
    error(key, fmt::format("expected {}, not {}", expected, value->size()));
    return usual;
  }
  std::vector<double> numbers;
  for (std::size_t i = 0; i < usual.size(); ++i) {
    const Json& entry = (*value)[i];
    if (!entry.is_number() || !std::isfinite(entry.get<double>())) {
      issues_.push_back({"", element_path(place_of(key), i), brief_text(entry), "expected a finite number"});
      return usual;
    }
    numbers.push_back(entry.get<double>());
  }
  return numbers;
}

Vec<3> ForeignObject::vector(const char* key, int dim, const Vec<3>& usual) const {
  const std::vector<double> read = numbers(key, {usual.data(), usual.data() + dim});
  Vec<3> vector = usual;
  std::copy(read.begin(), read.end(), vector.data());
  return vector;
}

Vec<3> ForeignObject::about_axes(const char* key, int dim) const {
  if (dim == 3) return vector(key, 3);
  const Json* value = find(key);
  const bool is_alone = value != nullptr && value->is_number();
  return {0.0, 0.0, is_alone ? number(key, 0.0) : numbers(key, {0.0})[0]};
}

void ForeignObject::warn_of_unknown_keys(const std::vector<std::string_view>& known,
                                         std::vector<std::string>& reported) const {
  for (const auto& [key, value] : json_.items()) {
    const bool is_known = key.starts_with('#') || std::find(known.begin(), known.end(), key) != known.end();
    if (is_known || std::find(reported.begin(), reported.end(), key) != reported.end()) continue;
    reported.push_back(key);
    const std::string_view nearest = nearest_name(key, known);
    const std::string hint = nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest);
    issues_.push_back(
        {"", child_path(place_, key), "", "this key is not known and has no effect" + hint, Severity::warning});
  }
}

void ForeignObject::report(const char* key, const std::string& message, Severity severity) const {
  const Json* value = find(key);
  issues_.push_back({"", place_of(key), value == nullptr ? "" : brief_text(*value), message, severity});
}

void ForeignObject::report_type(const char* key, const std::string& expected) const {
  error(key, fmt::format("expected {}, not {}", expected, type_text(*find(key))));
}

}  // namespace clearance
