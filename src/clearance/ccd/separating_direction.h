// The direction along which a convex hull is farthest from the origin.
#pragma once

#include <array>

#include "clearance/math/types.h"

namespace clearance {

template <int dim>
struct SeparatingDirection {
  Vec<dim> n = Vec<dim>::Zero();  ///< unit length up to rounding
  /// Smallest n . x_k over the corners x_k [m]: for exact arithmetic and the best n, the distance of the hull to the
  /// origin.
  double separation = -infinity;
};

/// Returns the best direction for the hull of `corners` (RelativeMotion). It points from the origin to the closest
/// point of the hull. A direction that is not quite the best is still valid evidence: its separation never exceeds the
/// distance by more than the rounding of the products n . x_k. So nothing here needs an error analysis.
template <int dim, int num_corners>
SeparatingDirection<dim> find_separating_direction(const std::array<Vec<dim>, num_corners>& corners);

}  // namespace clearance
