// Quality of a linear simplex: 1 for the equilateral one, 0 for a flat one.
#pragma once

#include <array>

#include "clearance/math/types.h"

namespace clearance {

/// dim (det J)^(2/dim) / |J|_F^2 with J from the equilateral simplex [Liu94]: 1 for that, 0 for a flat or inverted one.
template <int dim>
double mean_ratio(const std::array<Vec<dim>, dim + 1>& x);

/// The same to the power of 1 (2D) or 3 (3D): what comparisons need, without a root.
template <int dim>
double mean_ratio_power(const std::array<Vec<dim>, dim + 1>& x);

}  // namespace clearance
