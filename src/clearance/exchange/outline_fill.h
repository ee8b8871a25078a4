// Triangles that fill closed outlines in the plane. Stiff bodies in the plane are only outlines, which programs that
// draw surfaces would not show.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "clearance/math/types.h"

namespace clearance::exchange {

/// Returns counter-clockwise triangles between the ends of `edges`. They cover the points from which a ray crosses an
/// odd number of edges, so holes stay open. Returns none if the edges cross each other or are not closed loops with two
/// edges at every vertex. Ignores z.
std::vector<std::array<std::uint32_t, 3>> fill_outlines(std::span<const Vec<3>> places,
                                                        std::span<const std::array<std::uint32_t, 2>> edges);

}  // namespace clearance::exchange
