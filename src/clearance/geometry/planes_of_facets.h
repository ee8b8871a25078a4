// The flat parts of a boundary.
#pragma once

#include <array>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// Per boundary facet a number, from 0 on in the order of the first facets; two have the same if they are connected by
/// facets of it, through edges (2D: vertices), and lie in one plane (2D: line), by exact arithmetic.
template <int dim>
std::vector<int> planes_of_facets(const std::vector<Vec<dim>>& x, const std::vector<std::array<int, dim>>& facets);

}  // namespace clearance
