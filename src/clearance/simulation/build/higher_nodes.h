// The nodes of curved elements beside their corners.
#pragma once

#include <vector>

#include "clearance/simulation/build/unknowns.h"

namespace clearance {

/// Returns the nodes with blocks of their own that lie between the corners of their elements, by ascending block.
std::vector<HigherNode> find_higher_nodes(const std::vector<BodyInstance>& bodies, const Unknowns& unknowns);

}  // namespace clearance
