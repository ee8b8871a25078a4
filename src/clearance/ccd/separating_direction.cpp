#include "clearance/ccd/separating_direction.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace clearance {
namespace {

/// Collects candidate directions and keeps the one that separates most.
template <int dim, int num_corners>
class Search {
 public:
  explicit Search(const std::array<Vec<dim>, num_corners>& corners) : x_(corners) {}

  SeparatingDirection<dim> run() {
    // In the general case the closest point is inside the face, or its feature is the closest of edges and vertices.
    if (try_face()) return best_;
    find_closest_boundary_feature();
    const double distance = try_feature(closest_);
    if (best_.separation >= 0.999999 * distance) return best_;
    // Rounding misled the choice (slivers, nearly parallel edges): let all features compete.
    for (int i = 0; i < num_corners; ++i) {
      try_feature({i, i});
      for (int j = i + 1; j < num_corners; ++j) try_feature({i, j});
    }
    return best_;
  }

 private:
  struct Feature {
    int i, j;  ///< segment of the corners i and j; a corner if i = j
  };

  /// Keeps `v` if it separates more than all before.
  void offer(Vec<dim> v) {
    // Scaling by a power of two keeps the squares of tiny gaps from underflowing.
    if (v.cwiseAbs().maxCoeff() < 0x1p-400) v *= 0x1p600;
    const double length = std::sqrt(v.squaredNorm());
    if (!(length > 0x1p-480) || !(length < infinity)) return;
    const Vec<dim> n = v / length;
    double separation = infinity;
    for (const Vec<dim>& x : x_) separation = std::min(separation, n.dot(x));
    if (separation > best_.separation) best_ = {n, separation};
  }

  /// Offers the normal of the face; true if the origin projects to its inside, so that no other feature is closer.
  bool try_face() {
    if constexpr (dim == 3 && num_corners >= 3) {
      const Vec<3> e1 = x_[1] - x_[0], e2 = x_[num_corners - 1] - x_[0];
      Vec<3> n = e1.cross(e2);
      const double nn = n.squaredNorm();
      if (!(nn > 0.0)) return false;
      const double u = -x_[0].cross(e2).dot(n) / nn, v = -e1.cross(x_[0]).dot(n) / nn;
      const bool is_inside = u >= 0.0 && v >= 0.0 && (num_corners == 3 ? u + v <= 1.0 : (u <= 1.0 && v <= 1.0));
      // For slivers the cross product is not orthogonal to its factors to full precision; one Gram-Schmidt pass is.
      const Vec<3> e2_orthogonal = e2 - (e2.dot(e1) / e1.squaredNorm()) * e1;
      n -= (n.dot(e1) / e1.squaredNorm()) * e1;
      n -= (n.dot(e2_orthogonal) / e2_orthogonal.squaredNorm()) * e2_orthogonal;
      offer(n.dot(x_[0]) < 0.0 ? Vec<3>(-n) : n);
      // The normal of parallel edges is rounding, and whatever projects to the inside does so by chance: a box that
      // fell freely was stopped by two diagonals of its own side.
      constexpr double least_sine_sq = 1e-16;
      return is_inside && best_.separation > 0.0 && nn > least_sine_sq * e1.squaredNorm() * e2.squaredNorm();
    } else {
      return false;
    }
  }

  /// Searches the edges of the hull's outline; four corners are in the order of the outline.
  void find_closest_boundary_feature() {
    double least = infinity;
    for (int i = 0; i < num_corners; ++i) {
      const double vertex_sq = x_[i].squaredNorm();
      if (vertex_sq < least) {
        least = vertex_sq;
        closest_ = {i, i};
      }
      const int j = (i + 1) % num_corners;
      if (num_corners == 1 || (num_corners == 2 && i == 1)) continue;
      const Vec<dim> e = x_[j] - x_[i];
      const double s = -x_[i].dot(e) / e.squaredNorm();
      if (!(s > 0.0 && s < 1.0)) continue;
      const double edge_sq = (x_[i] + s * e).squaredNorm();
      if (edge_sq < least) {
        least = edge_sq;
        closest_ = {i, j};
      }
    }
  }

  /// Offers the direction of the closest point of a corner or a segment's line; returns its distance.
  double try_feature(Feature feature) {
    const Vec<dim>& a = x_[feature.i];
    if (feature.i == feature.j) {
      offer(a);
      return std::sqrt(a.squaredNorm());
    }
    const Vec<dim> e = x_[feature.j] - a;
    const double ee = e.squaredNorm();
    if (!(ee > 0.0)) return infinity;
    Vec<dim> v = a - (a.dot(e) / ee) * e;
    if constexpr (dim == 2) {
      const Vec<2> normal(-e[1], e[0]);
      offer(normal.dot(a) < 0.0 ? Vec<2>(-normal) : normal);
    } else {
      // Cancellation leaves a part along e when the line is much closer than its end points: remove it again.
      v -= (v.dot(e) / ee) * e;
      offer(v);
    }
    return std::sqrt(v.squaredNorm());
  }

  const std::array<Vec<dim>, num_corners>& x_;
  SeparatingDirection<dim> best_;
  Feature closest_{0, 0};
};

}  // namespace

template <int dim, int num_corners>
SeparatingDirection<dim> find_separating_direction(const std::array<Vec<dim>, num_corners>& corners) {
  return Search<dim, num_corners>(corners).run();
}

template SeparatingDirection<2> find_separating_direction<2, 1>(const std::array<Vec<2>, 1>&);
template SeparatingDirection<2> find_separating_direction<2, 2>(const std::array<Vec<2>, 2>&);
template SeparatingDirection<3> find_separating_direction<3, 1>(const std::array<Vec<3>, 1>&);
template SeparatingDirection<3> find_separating_direction<3, 2>(const std::array<Vec<3>, 2>&);
template SeparatingDirection<3> find_separating_direction<3, 3>(const std::array<Vec<3>, 3>&);
template SeparatingDirection<3> find_separating_direction<3, 4>(const std::array<Vec<3>, 4>&);

}  // namespace clearance
