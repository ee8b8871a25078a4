#include "clearance/io/result/result_units.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace clearance {

UnitSystem read_units(const std::filesystem::path& folder) {
  std::ifstream file(folder / "scene.json");
  const nlohmann::json scene = file ? nlohmann::json::parse(file, nullptr, false) : nlohmann::json();
  if (!scene.is_object() || !scene.contains("units") || !scene["units"].is_string()) return {};
  const UnitSystem* found = find_unit_system(scene["units"].get<std::string>());
  return found == nullptr ? UnitSystem{} : *found;
}

}  // namespace clearance
