#include "clearance/io/result/result_units.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace clearance {

UnitSystem read_units(const std::filesystem::path& folder) {
  std::ifstream file(folder / "scene.json");
  return units_of_json(file ? nlohmann::json::parse(file, nullptr, false) : nlohmann::json());
}

}  // namespace clearance
