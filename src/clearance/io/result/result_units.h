// The system of units of a result folder.
#pragma once

#include <filesystem>
#include <string>

#include "clearance/base/unit_system.h"

namespace clearance {

/// Returns the units that the JSON of a scene names, else SI.
template <class Json>
UnitSystem units_of_json(const Json& scene) {
  if (!scene.is_object()) return {};
  const auto name = scene.find("units");
  if (name == scene.end() || !name->is_string()) return {};
  const UnitSystem* found = find_unit_system(name->template get<std::string>());
  return found == nullptr ? UnitSystem{} : *found;
}

/// Returns the units of all numbers in a result folder: those that its scene names, else SI.
UnitSystem read_units(const std::filesystem::path& folder);

}  // namespace clearance
