// Which bodies of a mechanism overlap in the pose in which it starts.
#pragma once

#include <array>
#include <vector>

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Pairs of meshes whose surfaces meet (exactly) or of which one holds the first vertex of the other, ascending. Only
/// pairs in one and the same mechanism count; `ignored` ones, ascending too, are left out.
std::vector<std::array<int, 2>> find_overlaps(const std::vector<Mesh>& meshes, const std::vector<int>& mechanism,
                                              const std::vector<std::array<int, 2>>& ignored);

}  // namespace clearance
