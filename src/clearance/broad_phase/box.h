// Axis-aligned boxes in float, rounded outwards: half the memory and twice the SIMD lanes of double, and no pair is
// lost.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "clearance/math/lanes.h"
#include "clearance/math/types.h"

namespace clearance {

/// One row of a box: the three coordinates and padding that lets unions run on whole vectors.
using BoxRow = float __attribute__((vector_size(16), may_alias));

/// Steps to a neighbouring float without a branch: half of all conversions need it. Floats map to integers that are
/// ordered like them, where the neighbour is one away.
inline BoxRow float_neighbour(BoxRow value, const LaneMask::Bits& is_stepping, int direction) {
  using Bits = int __attribute__((vector_size(16)));
  using PairsOfBits = int __attribute__((vector_size(32)));
  const auto flip = [](Bits bits) { return bits ^ ((bits >> 31) & 0x7FFFFFFF); };
  const auto& halves = reinterpret_cast<const PairsOfBits&>(is_stepping);
  const Bits steps = __builtin_shufflevector(halves, halves, 0, 2, 4, 6) & direction;
  return reinterpret_cast<BoxRow>(flip(flip(reinterpret_cast<Bits>(value)) + steps));
}

/// Returns the largest float <= value (minus infinity below the range of float) for each number.
inline BoxRow round_down(const Lanes& value) {
  const auto nearest = __builtin_convertvector(value.v, BoxRow);
  return float_neighbour(nearest, __builtin_convertvector(nearest, Lanes::Vector) > value.v, -1);
}

/// Returns the smallest float >= value (infinity above the range of float) for each number.
inline BoxRow round_up(const Lanes& value) {
  const auto nearest = __builtin_convertvector(value.v, BoxRow);
  return float_neighbour(nearest, __builtin_convertvector(nearest, Lanes::Vector) < value.v, 1);
}

/// A closed box.
struct alignas(16) Box {
  std::array<float, 4> lo;
  std::array<float, 4> hi;

  BoxRow& lo_row() { return *reinterpret_cast<BoxRow*>(lo.data()); }
  BoxRow& hi_row() { return *reinterpret_cast<BoxRow*>(hi.data()); }
  const BoxRow& lo_row() const { return *reinterpret_cast<const BoxRow*>(lo.data()); }
  const BoxRow& hi_row() const { return *reinterpret_cast<const BoxRow*>(hi.data()); }

  /// Extends the box by `other`. Coordinates of `other` that are not a number change nothing.
  void extend(const Box& other) {
    lo_row() = other.lo_row() < lo_row() ? other.lo_row() : lo_row();
    hi_row() = other.hi_row() > hi_row() ? other.hi_row() : hi_row();
  }
  bool overlaps(const Box& other) const {
    bool result = true;
    for (std::size_t k = 0; k < 3; ++k) result = result && lo[k] <= other.hi[k] && other.lo[k] <= hi[k];
    return result;
  }
};

/// Returns the box that overlaps nothing, the neutral element of extend.
inline Box empty_box() {
  constexpr float inf = std::numeric_limits<float>::infinity();
  return {{inf, inf, inf, 0.0F}, {-inf, -inf, -inf, 0.0F}};
}

/// Boxes of vertices moving from x_t0 to x_t1 (flat, dim numbers per vertex) on paths that stay within `deviation` [m]
/// (per vertex; empty: 0) of the straight ones, inflated by `inflation` and rounded outwards. Coordinates are relative
/// to the middle of the scene, so that a scene far from the origin keeps its resolution; subtraction and rounding are
/// monotone: boxes that overlap in exact arithmetic still overlap. In 2D z is 0. The arguments must outlive the object.
class VertexBoxes {
 public:
  VertexBoxes(int dim, const VecX& x_t0, const VecX& x_t1, double inflation, const std::vector<double>& deviation);

  /// Computes the boxes of these vertices; boxes[v] is that of vertex v.
  void compute(std::span<const int> vertices, std::vector<Box>& boxes) const;
  /// Returns a box that holds those of these vertices, hardly larger than their union and several times faster.
  Box bound(std::span<const int> vertices) const;

 private:
  template <int dim>
  Box box(int v) const;
  template <int dim>
  Box bound_of(std::span<const int> vertices) const;

  int dim_;
  const VecX& x_t0_;
  const VecX& x_t1_;
  double inflation_;
  const std::vector<double>& deviation_;
  Lanes middle_;
};

/// Computes the boxes of all vertices. Reuses the memory of `boxes`.
void compute_vertex_boxes(int dim, const VecX& x_t0, const VecX& x_t1, double inflation,
                          const std::vector<double>& deviation, std::vector<Box>& boxes);

}  // namespace clearance
