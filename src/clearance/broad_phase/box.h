// Axis-aligned boxes in float, rounded outwards: half the memory and twice the SIMD lanes of double, and no pair is
// lost.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// Steps to a neighbouring float without a branch: half of all conversions need it, and a misprediction costs more than
/// all of it. Floats map to integers that are ordered like them, where the neighbour is one away.
inline float float_neighbour(float value, std::int32_t steps) {
  const auto flip = [](std::int32_t bits) { return bits ^ ((bits >> 31) & 0x7FFFFFFF); };
  return std::bit_cast<float>(flip(flip(std::bit_cast<std::int32_t>(value)) + steps));
}

/// Largest float <= value (minus infinity below the range of float).
inline float round_down(double value) {
  const auto nearest = static_cast<float>(value);
  return float_neighbour(nearest, -static_cast<std::int32_t>(static_cast<double>(nearest) > value));
}

/// Smallest float >= value (infinity above the range of float).
inline float round_up(double value) {
  const auto nearest = static_cast<float>(value);
  return float_neighbour(nearest, static_cast<std::int32_t>(static_cast<double>(nearest) < value));
}

/// A closed box. The fourth number is padding that lets unions run on whole vectors.
struct alignas(16) Box {
  std::array<float, 4> lo;
  std::array<float, 4> hi;

  void extend(const Box& other) {
    for (std::size_t k = 0; k < 4; ++k) lo[k] = std::min(lo[k], other.lo[k]);
    for (std::size_t k = 0; k < 4; ++k) hi[k] = std::max(hi[k], other.hi[k]);
  }
  bool overlaps(const Box& other) const {
    bool result = true;
    for (std::size_t k = 0; k < 3; ++k) result = result && lo[k] <= other.hi[k] && other.lo[k] <= hi[k];
    return result;
  }
};

/// Overlaps nothing; the neutral element of extend.
inline Box empty_box() {
  constexpr float inf = std::numeric_limits<float>::infinity();
  return {{inf, inf, inf, 0.0F}, {-inf, -inf, -inf, 0.0F}};
}

/// Boxes of all vertices moving from x_t0 to x_t1 (flat, dim numbers a vertex) on paths that stay within `deviation`
/// [m] (per vertex; empty: 0) of the straight ones, inflated by `inflation` and rounded outwards. Coordinates are
/// relative to the middle of the scene, so that a scene far from the origin keeps its resolution; subtraction and
/// rounding are monotone: boxes that overlap in exact arithmetic still overlap. In 2D z is 0. Reuses the memory of
/// `boxes`.
void compute_vertex_boxes(int dim, const VecX& x_t0, const VecX& x_t1, double inflation,
                          const std::vector<double>& deviation, std::vector<Box>& boxes);

}  // namespace clearance
