// What one row of the field table says about a value beyond its name and default: unit, meaning, range.
#pragma once

#include <string>
#include <string_view>

#include "clearance/math/types.h"

namespace clearance {

/// Shorter ways to write a value.
enum class Shorthand {
  none,
  uniform,         ///< one entry stands for all three
  angle_in_plane,  ///< 2D: one entry is that about z; flags: as uniform in 3D
  number           ///< a formula may be a plain number
};

struct Field {
  std::string_view unit;
  std::string_view doc;
  double min = -infinity;
  double max = infinity;
  bool min_excluded = false;
  bool max_excluded = false;
  Shorthand shorthand = Shorthand::none;
  bool null_is_infinity = false;  ///< JSON has no infinity: null stands for it

  Field below(double bound, bool excluded) const;
  Field short_as(Shorthand how) const;
  Field with_null_infinity() const;
};

/// Any finite value.
Field any(std::string_view unit, std::string_view doc);
/// Above 0.
Field positive(std::string_view unit, std::string_view doc);
/// At least `min`.
Field at_least(double min, std::string_view unit, std::string_view doc);
/// Above `min`.
Field above(double min, std::string_view unit, std::string_view doc);

/// Is `value` inside the range of the field? False for NaN, and for infinity unless null may stand for it.
bool is_in_range(const Field& field, double value);
/// `above 0`, `at least 1`, `between -1 and 0.5, both excluded`; empty if anything finite is allowed
std::string range_text(const Field& field);

/// An enumerator as it is written in a scene.
template <class Enum>
struct EnumValue {
  Enum value;
  std::string_view name;
  std::string_view doc;
};

/// Specialised in enums.h: `values`, an array of EnumValue.
template <class Enum>
struct EnumInfo;

/// Specialised in fields.h: `name` and `doc` of a struct in the schema and the reference.
template <class Struct>
struct StructInfo;

template <class T>
concept NamedEnum = requires {
  EnumInfo<T>::values;
};
template <class T>
concept DescribedStruct = requires {
  StructInfo<T>::name;
};

template <NamedEnum Enum>
std::string_view enum_name(Enum value) {
  for (const auto& known : EnumInfo<Enum>::values) {
    if (known.value == value) return known.name;
  }
  return {};
}

}  // namespace clearance
