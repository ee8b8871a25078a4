// Decomposition of a boundary into its flat parts.
#pragma once

#include <array>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// Returns the number of the plane of each boundary facet, from 0 on in the order of the first facets. Two facets are
/// in the same plane if they lie in one plane (2D: line) by exact arithmetic and are connected by facets of it through
/// edges (2D: vertices).
template <int dim>
std::vector<int> planes_of_facets(const std::vector<Vec<dim>>& x, const std::vector<std::array<int, dim>>& facets);

}  // namespace clearance
