// Winding number of a closed surface around a point: 1 inside a solid, 0 outside it and in its cavities.
#pragma once

#include <optional>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// Counts the crossings of a segment from `point` to the outside, exactly (orient3d). The surface must be closed, and
/// the point must not lie on it. The number is positive for surfaces that are oriented outwards. Returns no value if
/// each of five segments meets an edge or a vertex, which does not happen for a closed surface.
std::optional<int> winding_number(const Vec<3>& point, const Vertices& vertices, const Triangles& surface);

/// Returns the winding number in the plane z = 0, for closed outlines with the area to their left.
std::optional<int> winding_number(const Vec<3>& point, const Vertices& vertices, const Edges& outline);

}  // namespace clearance
