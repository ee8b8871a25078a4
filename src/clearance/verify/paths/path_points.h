// Ways of the vertices of frames in one move, with bounds of every rounding, for `clearance verify --paths`.
#pragma once

#include <vector>

#include "clearance/verify/paths/certificate.h"
#include "clearance/verify/rational.h"

namespace clearance::verify {

/// Unit roundoff of doubles.
inline constexpr double roundoff = 0x1p-53;

/// The way of a vertex: a straight line from p0 to p1 or, for a vertex of a rigid body, a screw.
struct PathPoint {
  Vec<3> p0 = Vec<3>::Zero(), p1 = Vec<3>::Zero();  ///< [m]
  /// [m] bound of the distance of all computed positions from the true ones, apart from what position_at adds.
  double error = 0.0;
  const PathScrew* screw = nullptr;  ///< null: a straight line
  Vec<3> center = Vec<3>::Zero();    ///< [m] of the screw, at the start
  /// [m] bound D: between times s0 and s1 the way strays from the straight line between its ends by D (s1 - s0)^2 at
  /// most. For an angle phi and a radius r it is r phi^2 / 8, as the acceleration is r phi^2.
  double bend = 0.0;

  bool is_moving() const { return screw != nullptr || p0 != p1; }
};

/// A computed position and a bound [m] of its distance from the true one.
struct BoundedPosition {
  Vec<3> position;
  double error;
};

/// Returns the position at time s in [0, 1], which must be a multiple of 2^-50.
BoundedPosition position_at(const PathPoint& point, double s);

/// All vertices of frames in one move.
class PathPoints {
 public:
  /// The layout and the move must outlive the object.
  PathPoints(const PathLayout& layout, const PathMove& move);

  const PathPoint& operator[](int vertex) const { return points_[vertex]; }
  int size() const { return static_cast<int>(points_.size()); }
  bool is_straight(int vertex) const { return points_[vertex].screw == nullptr; }
  /// Returns the place at the start (0) or the end (1) in rational numbers.
  Rational exact_end(int vertex, int end) const;
  /// Largest distance [m] between the end of a screw and where the move ends, as a share of the body's size; infinite
  /// if a position overflows, or a turn is that of no move.
  double largest_miss() const { return largest_miss_; }

 private:
  const PathLayout& layout_;
  const PathMove& move_;
  std::vector<PathPoint> points_;
  double largest_miss_ = 0.0;
};

/// The way of a vertex in rational numbers, whose denominators are powers of two: exactly on straight ways, and to 250
/// bits on screws.
class ExactWay {
 public:
  ExactWay(const PathPoints& points, int vertex);

  /// Returns the place at time s, a multiple of a power of two.
  Rational at(const mpq_class& s) const;

 private:
  Rational origin_, shift_;  // a straight line, and on screws what is added to it:
  bool is_straight_;
  Rational arm_, turn_;
};

/// Returns the position of a vertex for unknowns x, rounded, and a bound of its error.
BoundedPosition vertex_at(const PathLayout& layout, const std::vector<double>& x, int vertex);

/// Returns for each vertex the stiff body that it moves with; -1: none; -2: it follows a rigid body and other things at
/// once, and no way of it is known.
std::vector<int> stiff_of_vertices(const PathLayout& layout);

}  // namespace clearance::verify
