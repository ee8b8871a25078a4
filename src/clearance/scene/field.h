// The contents of one row of the field table beyond name and default: unit, meaning, range.
#pragma once

#include <string>
#include <string_view>

#include "clearance/math/types.h"
#include "clearance/scene/unit.h"

namespace clearance {

/// Shorter ways of writing a value.
enum class Shorthand {
  none,
  uniform,         ///< one entry stands for all three
  angle_in_plane,  ///< 2D: one entry is that about z; flags: as uniform in 3D
  number,          ///< a formula may be a plain number
  flag             ///< a word stands for an object whose entry of that name is true
};

struct Field {
  std::string_view unit;     ///< of SI
  Dimension dimension = {};  ///< of the default
  std::string_view doc = {};
  double min = -infinity;
  double max = infinity;
  bool min_excluded = false;
  bool max_excluded = false;
  Shorthand shorthand = Shorthand::none;
  bool null_is_infinity = false;  ///< JSON has no infinity: null stands for it
  /// Message about a value that differs from the default where another alternative of a choice is chosen (choice.h).
  std::string_view elsewhere = {};
  bool is_refused_elsewhere = false;  ///< the message is an error, else a warning

  Field below(double bound, bool excluded) const;
  Field short_as(Shorthand how) const;
  Field with_null_infinity() const;
  Field ignored_elsewhere(std::string_view message) const;
  Field refused_elsewhere(std::string_view message) const;
};

/// Returns a field for any finite value.
Field any(Unit unit, std::string_view doc);
/// Returns a field for values above 0.
Field positive(Unit unit, std::string_view doc);
/// Returns a field for values of at least `min`.
Field at_least(double min, Unit unit, std::string_view doc);
/// Returns a field for values above `min`.
Field above(double min, Unit unit, std::string_view doc);

/// True if `value` is inside the range of the field. False for NaN, and for infinity unless null may stand for it.
bool is_in_range(const Field& field, double value);
/// Returns a text such as `above 0`, `at least 1`, `between -1 and 0.5, both excluded`; empty if every finite value is
/// allowed.
std::string range_text(const Field& field);

/// An enumerator with its name in a scene.
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
