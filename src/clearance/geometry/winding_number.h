// How often a closed surface goes around a point: 1 inside of a solid, 0 outside of it and in its cavities.
#pragma once

#include <optional>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// Exact (orient3d): counts the crossings of a segment from `point` to the outside. The surface must be closed, and the
/// point not on it. Positive for surfaces that point outwards. No value if five segments meet an edge or a vertex each,
/// which does not happen to a surface that is closed.
std::optional<int> winding_number(const Vec<3>& point, const Vertices& vertices, const Triangles& surface);

/// In the plane z = 0, of closed outlines with the area to their left.
std::optional<int> winding_number(const Vec<3>& point, const Vertices& vertices, const Edges& outline);

}  // namespace clearance
