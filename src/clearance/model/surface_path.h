// How surface vertices move along a Newton direction.
#pragma once

#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// A rigid body's motion at constant velocities: at time s in [0, 1] a vertex that starts at x is at
/// center + s * shift + exp(s [turn]) (x - center). In the plane the turn is about the third axis.
struct Screw {
  Vec<3> center = Vec<3>::Zero();  ///< [m]
  Vec<3> shift = Vec<3>::Zero();   ///< [m]
  Vec<3> turn = Vec<3>::Zero();    ///< [rad] rotation vector
};

/// The motion of every surface vertex from t0 to t1: on a straight line, or on a screw.
struct SurfacePath {
  VecX x_t0;  ///< [m] flat, dim per vertex
  VecX x_t1;  ///< [m]
  /// [m] per vertex: D such that the true position at time s is within 4 s (1 - s) D of the straight line; empty: all
  /// paths are straight. A screw of angle phi at the distance r from its axis has |x''| = r phi^2 and D = r phi^2 / 8.
  std::vector<double> deviation;
  std::vector<int> screw_of_vertex;  ///< -1: straight; empty: all
  std::vector<Screw> screws;

  bool is_straight(int vertex) const { return deviation.empty() || deviation[static_cast<std::size_t>(vertex)] == 0.0; }
  /// [m] Position of a vertex at time s.
  template <int dim>
  Vec<dim> position(int vertex, double s) const;
};

}  // namespace clearance
