// Merging of vertices at the same position.
#pragma once

#include <vector>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// Returns, for every vertex, the first vertex at exactly the same position.
std::vector<int> weld(const Vertices& vertices);

}  // namespace clearance
