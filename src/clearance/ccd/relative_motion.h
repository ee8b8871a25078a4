// Relative motion of two primitives.
//
// The differences r_k = a_i - b_j of their vertices span the Minkowski difference; the distance of the primitives is
// the distance of the origin to the convex hull of the r_k. So point-point, point-edge, point-triangle and edge-edge
// are one problem with 1, 2, 3 or 4 corners. It also settles the rounding: a difference of two doubles is correct to a
// relative 2^-53 of itself, however far from the origin the primitives are, and a common motion of both cancels.
#pragma once

#include <array>

#include "clearance/math/types.h"

namespace clearance {

inline constexpr double unit_roundoff = 0x1p-53;

/// The ball around a cube, beside half an edge of the cube: sqrt(3), rounded up.
inline constexpr double ball_around_cube = 1.7320508075688774;

/// Corner k moves on the straight line from t0[k] to t1[k]; the four corners of edge-edge are a parallelogram in the
/// order a0-b0, a1-b0, a1-b1, a0-b1.
template <int dim, int num_corners>
struct RelativeMotion {
  std::array<Vec<dim>, num_corners> t0;
  std::array<Vec<dim>, num_corners> t1;
};

/// Returns the corners of a point against a point, an edge or a triangle, from the vertices at one time.
template <int dim, int num_vertices>
std::array<Vec<dim>, num_vertices - 1> point_corners(const std::array<Vec<dim>, num_vertices>& vertices) {
  std::array<Vec<dim>, num_vertices - 1> corners;
  for (int k = 0; k + 1 < num_vertices; ++k) corners[k] = vertices[0] - vertices[k + 1];
  return corners;
}

/// Returns the corners of edge ea0 ea1 against edge eb0 eb1.
inline std::array<Vec<3>, 4> edge_edge_corners(const std::array<Vec<3>, 4>& vertices) {
  const auto& [ea0, ea1, eb0, eb1] = vertices;
  return {ea0 - eb0, ea1 - eb0, ea1 - eb1, ea0 - eb1};
}

}  // namespace clearance
