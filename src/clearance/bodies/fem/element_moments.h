// Volumes, centres and second moments of single elements.
#pragma once

#include <vector>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// Returns the mass properties of every solid element of a mesh (2D: areas), linear or curved, exact except for
/// rounding.
std::vector<MassProperties> element_mass_properties(const Mesh& mesh);

}  // namespace clearance
