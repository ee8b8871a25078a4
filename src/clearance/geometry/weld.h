// Vertices in the same place as one.
#pragma once

#include <vector>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// For every vertex the first of those in exactly the same place.
std::vector<int> weld(const Vertices& vertices);

}  // namespace clearance
