// Joins edges to lines through many points.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace clearance::exchange {

/// Returns lines that cover every edge once. A line goes on through points of two edges; a closed one ends with its
/// first point. Lines begin in the order of the edges.
std::vector<std::vector<std::uint32_t>> join_lines(std::span<const std::array<std::uint32_t, 2>> edges);

}  // namespace clearance::exchange
