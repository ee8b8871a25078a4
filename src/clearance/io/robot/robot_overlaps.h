// Search for the bodies of a mechanism that overlap in its start pose.
#pragma once

#include <array>
#include <vector>

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Returns, in ascending order, the pairs of meshes whose surfaces intersect (tested exactly) or of which one contains
/// the first vertex of the other. Only pairs within one mechanism count. Pairs in `ignored`, also ascending, are left
/// out.
std::vector<std::array<int, 2>> find_overlaps(const std::vector<Mesh>& meshes, const std::vector<int>& mechanism,
                                              const std::vector<std::array<int, 2>>& ignored);

}  // namespace clearance
