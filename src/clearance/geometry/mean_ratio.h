// Quality of a linear simplex: 1 for the equilateral one, 0 for a flat one.
#pragma once

#include <array>

#include "clearance/math/types.h"

namespace clearance {

/// Returns dim (det J)^(2/dim) / |J|_F^2 with J the map from the equilateral simplex [Liu94]: 1 for the equilateral
/// simplex, 0 for a flat or inverted one.
template <int dim>
double mean_ratio(const std::array<Vec<dim>, dim + 1>& x);

/// Returns the mean ratio to the power of 1 (2D) or 3 (3D), which comparisons can use without computing a root.
template <int dim>
double mean_ratio_power(const std::array<Vec<dim>, dim + 1>& x);

}  // namespace clearance
