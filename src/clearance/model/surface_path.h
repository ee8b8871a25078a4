// The motion of surface vertices along a Newton direction.
#pragma once

#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// A rigid motion at constant velocities: at time s in [0, 1] a vertex that starts at x is at center + s * shift +
/// exp(s [turn]) (x - center). In the plane the turn is about the third axis.
struct Screw {
  Vec<3> center = Vec<3>::Zero();  ///< [m]
  Vec<3> shift = Vec<3>::Zero();   ///< [m]
  Vec<3> turn = Vec<3>::Zero();    ///< [rad] rotation vector
};

/// The motion of every surface vertex from t0 to t1: on a straight line, or on a screw.
///
/// The path is that of real arithmetic from the numbers of this struct. The list bounds the distance of computed
/// positions from it, to first order in u = 2^-53, with the arm a from the centre to the vertex, the centre c, the
/// shift s and the angle phi (all of them lengths of vectors):
/// - `position`: time times turn costs u phi a, the computed angle 2.5 u phi a (three squares, two sums, a root). The
///   axis is off by 3.5 u, sine and cosine by 1.02 u (math/elementary.h); so R = cos I + sin [axis] + (1 - cos) axis
///   axis^T by 1.1 u + 5.6 u + 21.1 u and 3.5 u for its sums, in the operator norm. R times arm costs 5.2 u a, the arm
///   itself u a, and centre + time shift + that u (2 c + 3 s + a). Together below u ((39 + 4 phi) a + 2 c + 3 s).
/// - Taylor polynomials about such a position (solver/turning_separation.h) start from R times arm, and add up its
///   derivatives over a quarter of a radian: 1.3 times that and u a for each of at most ten products. Together below
///   u ((64 + 6 phi) a + 4 c + 4 s).
/// - The positions that the unknowns give at the end of the way (LocalCoordinates::move, SurfaceMap::apply): the
///   fraction is rounded differently, 3 u (phi a + s); R costs (31.3 + 2.5 phi) u a as before, R times map 9 u a,
///   dividing by and multiplying with the radius 2.8 u a, the step towards the nearest rotation 16 u a for its rounding
///   and 10 u a for what it corrects; the start itself was rounded by 4 u (c + 1.8 a), and so is the end, 4 u (c + s +
///   1.8 a). Together below u ((88 + 6 phi) a + 8 c + 9 s).
/// On straight lines u (8 |x| + 8 |x_t1 - x_t0|) bounds all of it.
struct SurfacePath {
  VecX x_t0;  ///< [m] flat, dim per vertex
  VecX x_t1;  ///< [m]
  /// [m] per vertex: D such that the true position at time s is within 4 s (1 - s) D of the straight line; empty: all
  /// paths are straight. A screw of angle phi at the distance r from its axis has |x''| = r phi^2 and D = r phi^2 / 8.
  std::vector<double> deviation;
  std::vector<int> screw_of_vertex;  ///< per vertex, -1: straight; empty: all are straight
  std::vector<Screw> screws;

  bool is_straight(int vertex) const { return deviation.empty() || deviation[vertex] == 0.0; }
  /// Returns the position [m] of a vertex at time s.
  template <int dim>
  Vec<dim> position(int vertex, double s) const;
  /// Returns a bound [m] on the distance between a computed position of the vertex and the position that the unknowns
  /// give: the sum of the two bounds above, u ((152 + 12 phi) a + 12 c + 13 s).
  template <int dim>
  double rounding(int vertex) const;
  /// Returns the screw of a vertex, or null if it moves on a straight line.
  const Screw* screw_at(int vertex) const {
    const int index = screw_of_vertex.empty() ? -1 : screw_of_vertex[vertex];
    return index < 0 ? nullptr : &screws[index];
  }
};

}  // namespace clearance
