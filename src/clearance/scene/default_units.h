// Converts defaults of the field table, which are in SI, to the unit system of a scene. The units of the table say how;
// nothing else lists the fields.
#pragma once

#include "clearance/scene/fields.h"

namespace clearance {

/// Visitor that converts all numbers of a struct and of its parts.
class DefaultConverter {
 public:
  explicit DefaultConverter(const UnitSystem& units) : units_(units) {}

  template <class T>
  void field(const char*, T& value, const Field& field) {
    convert(value, field.dimension);
  }

 private:
  void convert(double& value, const Dimension& dimension) { value = units_.from_si(value, dimension); }
  void convert(Vec<3>& value, const Dimension& dimension) {
    for (int i = 0; i < 3; ++i) convert(value[i], dimension);
  }
  template <class T, std::size_t size>
  void convert(std::array<T, size>& value, const Dimension& dimension) {
    for (T& entry : value) convert(entry, dimension);
  }
  template <class T>
  void convert(std::vector<T>& value, const Dimension& dimension) {
    for (T& entry : value) convert(entry, dimension);
  }
  template <class T>
  void convert(std::optional<T>& value, const Dimension& dimension) {
    if (value) convert(*value, dimension);
  }
  template <DescribedStruct Struct>
  void convert(Struct& value, const Dimension&) {
    describe(*this, value);
  }
  void convert(int&, const Dimension&) {}
  void convert(bool&, const Dimension&) {}
  void convert(std::string&, const Dimension&) {}
  template <NamedEnum Enum>
  void convert(Enum&, const Dimension&) {}

  const UnitSystem& units_;
};

/// Converts the defaults of a new struct to these units.
template <DescribedStruct Struct>
void convert_defaults(Struct& value, const UnitSystem& units) {
  if (units.is_si()) return;
  DefaultConverter converter(units);
  describe(converter, value);
}

/// Returns the defaults that a struct of this scene has.
template <DescribedStruct Struct>
Struct defaults_of(const SceneDesc& scene) {
  Struct defaults{};
  convert_defaults(defaults, unit_system_of(scene));
  return defaults;
}

}  // namespace clearance
