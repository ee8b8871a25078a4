// Triangles inside of closed outlines in the plane: stiff bodies there are nothing but their outlines, which programs
// that draw surfaces would not show.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "clearance/math/types.h"

namespace clearance::exchange {

/// Counter-clockwise triangles between the ends of `edges`, which fill what a ray leaves after an odd number of edges:
/// holes stay open. None if the edges are not closed loops, every vertex with two of them, or cross each other. z is
/// not looked at.
std::vector<std::array<std::uint32_t, 3>> fill_outlines(std::span<const Vec<3>> places,
                                                        std::span<const std::array<std::uint32_t, 2>> edges);

}  // namespace clearance::exchange
