#include "clearance/sweep/plan_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/scene/nearest_name.h"

namespace clearance::sweep {
namespace {

const Json nothing = Json::object();

}  // namespace

PlanObject::PlanObject(const Json& json, std::string place, Issues& issues)
    : json_(json.is_object() ? &json : &nothing), place_(std::move(place)), issues_(issues) {
  if (!json.is_object()) issues_.push_back({"", place_, brief_text(json), "expected an object"});
}

const Json* PlanObject::find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  const auto found = json_->find(std::string(key));
  return found == json_->end() ? nullptr : &*found;
}

std::optional<double> PlanObject::number(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number() && std::isfinite(value->get<double>())) return value->get<double>();
  issues_.push_back({"", place_of(key), brief_text(*value), "expected a number"});
  return std::nullopt;
}

std::optional<long long> PlanObject::integer(std::string_view key, long long min, long long max) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  // A number above the largest long long is stored as unsigned.
  if (value->is_number_integer() && !(value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX)) {
    const long long number = value->get<long long>();
    if (number >= min && number <= max) return number;
  }
  issues_.push_back(
      {"", place_of(key), brief_text(*value), fmt::format("expected a whole number from {} to {}", min, max)});
  return std::nullopt;
}

std::optional<std::string> PlanObject::text(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string() && !value->get_ref<const std::string&>().empty()) return value->get<std::string>();
  issues_.push_back({"", place_of(key), brief_text(*value), "expected a text that is not empty"});
  return std::nullopt;
}

bool PlanObject::flag(std::string_view key, bool usual) {
  const Json* value = find(key);
  if (value == nullptr) return usual;
  if (value->is_boolean()) return value->get<bool>();
  issues_.push_back({"", place_of(key), brief_text(*value), "expected true or false"});
  return usual;
}

std::optional<std::size_t> PlanObject::word(std::string_view key, const std::vector<std::string_view>& names) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::string word = value->is_string() ? value->get<std::string>() : "";
  const auto found = std::find(names.begin(), names.end(), word);
  if (found != names.end()) return found - names.begin();
  issues_.push_back({"", place_of(key), brief_text(*value), "expected one of " + quoted_list(names)});
  return std::nullopt;
}

const Json* PlanObject::list(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr || (value->is_array() && !value->empty())) return value;
  issues_.push_back({"", place_of(key), brief_text(*value), "expected a list with at least one entry"});
  return nullptr;
}

void PlanObject::refuse_other_keys() {
  const std::vector<std::string_view> known(known_.begin(), known_.end());
  if (place_.empty() && json_->contains("bodies") && !json_->contains("scene")) {
    return error("this is a scene; expected a plan, which names its scene by `scene`");
  }
  for (const auto& [key, value] : json_->items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string_view nearest = nearest_name(key, known);
    issues_.push_back({"", place_of(key), brief_text(value),
                       nearest.empty() ? "this key is not known here; known keys: " + quoted_list(known)
                                       : fmt::format("this key is not known; did you mean `{}`?", nearest)});
  }
}

void PlanObject::error(std::string_view key, std::string message) {
  issues_.push_back({"", place_of(key), "", std::move(message)});
}

void PlanObject::error(std::string_view key, const Json& value, std::string message) {
  issues_.push_back({"", place_of(key), brief_text(value), std::move(message)});
}

void PlanObject::error(std::string message) {
  issues_.push_back({"", place_, "", std::move(message)});
}

}  // namespace clearance::sweep
