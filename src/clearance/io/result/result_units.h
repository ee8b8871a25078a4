// The system of units of a result folder.
#pragma once

#include <filesystem>

#include "clearance/base/unit_system.h"

namespace clearance {

/// Returns the units of all numbers in a result folder: those that its scene names, else SI.
UnitSystem read_units(const std::filesystem::path& folder);

}  // namespace clearance
