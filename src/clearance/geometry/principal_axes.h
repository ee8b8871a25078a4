// Axes of a set of points.
#pragma once

#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// Returns the principal axes of the points as columns, beginning with the axis of the shortest extent. In the plane
/// the first one is z.
Mat<3> principal_axes(const std::vector<Vec<3>>& points);

}  // namespace clearance
