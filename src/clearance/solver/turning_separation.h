// Certificates of separation on screws: how long a direction, which may turn itself, keeps two primitives apart.
//
// A unit vector n separates two primitives while n . r_k exceeds the threshold for all corners r_k of the relative
// motion, since the distance of the origin to their hull then exceeds it too; this is the same as on straight lines
// (ccd/certified_ccd.h). Here n turns at a constant rate, n(t) = exp(t [rate]) n. With the rate of one of the bodies,
// the faces of that body stand still as seen from n. A primitive that slides or rolls on them at a gap of 1e-12 m is
// then certified for a quarter of a radian at once; chords of the path would have to be as short as the root of the
// gap.
//
// Every n(t) . r_k(t) is expanded about the present time to degree seven. Its eighth derivative is bounded by Leibniz'
// rule from |n^(i)| <= |rate|^i and |r^(l)| <= |w_a|^(l-1) |w_a x arm_a| + |w_b|^(l-1) |w_b x arm_b| [Fer21, sec. 4.3
// has intervals for that]. The polynomial less the remainder lies in the convex hull of its control points (Bernstein's
// form), and so is positive as long as the hull is.
#pragma once

#include <algorithm>
#include <array>

#include "clearance/contact/contact_set.h"
#include "clearance/model/surface_path.h"

namespace clearance {

/// Two primitives near a time, represented by Taylor polynomials of their motion.
template <int dim>
class TurningPair {
 public:
  TurningPair(const SurfacePath& path, const PrimitivePair& pair);

  /// Expands the motion about `time`.
  void set_time(double time);
  /// Returns the distance [m] along the best direction at that time.
  double separation() const { return separation_; }
  /// Returns a length of time, at most `longest`, for which the distance certainly stays above `threshold` [m] from the
  /// present time; 0 if no direction certifies any. The rounding of positions comes on top (SurfacePath::rounding).
  double certified_length(double threshold, double longest);

 private:
  static constexpr int degree = 8;  // of the remainder
  static constexpr int num_corners = dim == 2 ? 2 : 4;
  using Series = std::array<Vec<3>, degree>;
  using Coefficients = std::array<double, degree + 1>;
  using CornerTerms = std::array<Coefficients, num_corners>;

  /// Corner of the relative motion: the two vertices whose difference it is, and bounds of its derivatives.
  struct Corner {
    int first, second;
    Series position;
    std::array<double, degree + 1> bounds;  // of the norms of the derivatives within the longest piece
  };
  /// Vertex at center + time velocity + exp(time [turn]) arm. On a straight line the center is its start and there is
  /// no arm.
  struct Vertex {
    Vec<3> center, velocity, arm, turn;
    double swing;  // |turn x arm|
    Series position;
  };

  /// Returns the time in which both bodies together, and the direction, turn by a quarter of a radian.
  double longest_piece(double rate) const { return 0.25 / std::max(total_rate_, rate); }
  void set_corners();
  void expand(Corner& corner) const;
  static void expand(double time, const Mat<3>& rotation, Vertex& vertex);
  void find_direction();
  void add_rate(const Vec<3>& rate);
  void choose_rates();
  CornerTerms separation_terms(const Vec<3>& rate, double threshold) const;
  static double positive_part(const Coefficients& scaled, double part);
  double certified_part(const CornerTerms& terms, double piece) const;
  double length_along(const Vec<3>& rate, double threshold, double longest) const;

  int num_first_;
  int num_vertices_;
  std::array<Vertex, dim + 1> vertices_;
  int num_used_corners_;
  std::array<Corner, num_corners> corners_;
  double total_rate_;  // [rad] of both bodies
  Vec<3> n_ = Vec<3>::Zero();
  double separation_ = 0.0;
  std::array<Vec<3>, 4> rates_;  // of directions
  int num_rates_ = 0;
  int preferred_ = 0;  // index of the rate that certified longest the last time
};

}  // namespace clearance
