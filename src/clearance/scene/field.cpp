#include "clearance/scene/field.h"

#include <fmt/format.h>

#include <cmath>

namespace clearance {

Field Field::below(double bound, bool excluded) const {
  Field field = *this;
  field.max = bound;
  field.max_excluded = excluded;
  return field;
}

Field Field::short_as(Shorthand how) const {
  Field field = *this;
  field.shorthand = how;
  return field;
}

Field Field::with_null_infinity() const {
  Field field = *this;
  field.null_is_infinity = true;
  return field;
}

Field Field::ignored_elsewhere(std::string_view message) const {
  Field field = *this;
  field.elsewhere = message;
  return field;
}

Field Field::refused_elsewhere(std::string_view message) const {
  Field field = ignored_elsewhere(message);
  field.is_refused_elsewhere = true;
  return field;
}

Field any(Unit unit, std::string_view doc) {
  return Field{.unit = unit.text, .dimension = unit.dimension, .doc = doc};
}

Field positive(Unit unit, std::string_view doc) {
  return above(0.0, unit, doc);
}

Field at_least(double min, Unit unit, std::string_view doc) {
  return Field{.unit = unit.text, .dimension = unit.dimension, .doc = doc, .min = min};
}

Field above(double min, Unit unit, std::string_view doc) {
  return Field{.unit = unit.text, .dimension = unit.dimension, .doc = doc, .min = min, .min_excluded = true};
}

bool is_in_range(const Field& field, double value) {
  if (std::isnan(value)) return false;
  if (std::isinf(value) && !(field.null_is_infinity && value > 0.0)) return false;
  const bool is_above = field.min_excluded ? value > field.min : value >= field.min;
  const bool is_below = field.max_excluded ? value < field.max : value <= field.max;
  return is_above && is_below;
}

std::string range_text(const Field& field) {
  const bool has_min = std::isfinite(field.min);
  const bool has_max = std::isfinite(field.max);
  if (has_min && has_max) {
    const char* ends = field.min_excluded && field.max_excluded ? ", both excluded"
                       : field.min_excluded                     ? ", the first excluded"
                       : field.max_excluded                     ? ", the last excluded"
                                                                : "";
    return fmt::format("between {} and {}{}", field.min, field.max, ends);
  }
  if (has_min) return fmt::format("{} {}", field.min_excluded ? "above" : "at least", field.min);
  if (has_max) return fmt::format("{} {}", field.max_excluded ? "below" : "at most", field.max);
  return {};
}

}  // namespace clearance
