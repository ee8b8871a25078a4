// The unit normal of a triangle (2D: of an edge) with two derivatives by its corners. (For link_potential.cpp.)
//
// With N = (c1 - c0) x (c2 - c0), 2D: c1 - c0 turned by a right angle, s = |N| and n = N / s, the first derivatives are
// (1 - n n^T) / s dN. The sum f = r . n for a constant r has the derivatives by N
//
//     g = (r - (r . n) n) / s,    -(r n^T + n r^T + (r . n) (1 - 3 n n^T)) / s^2.
#pragma once

#include <array>

#include "clearance/math/rotation.h"
#include "clearance/math/types.h"

namespace clearance {

template <int dim>
class FaceNormal {
 public:
  using Corners = std::array<Vec<dim>, dim>;

  explicit FaceNormal(const Corners& c) {
    if constexpr (dim == 3) {
      const Vec<3> u = c[1] - c[0], v = c[2] - c[0];
      n_ = cross_matrix(u) * v;
      by_corner_[1] = -cross_matrix(v);
      by_corner_[2] = cross_matrix(u);
      by_corner_[0] = -(by_corner_[1] + by_corner_[2]);
    } else {
      const Vec<2> u = c[1] - c[0];
      n_ = Vec<2>(-u[1], u[0]);
      by_corner_[1] << 0.0, -1.0, 1.0, 0.0;
      by_corner_[0] = -by_corner_[1];
    }
    s_ = n_.norm();
    n_ /= s_;
  }

  const Vec<dim>& value() const { return n_; }
  /// Returns the derivative by corner k.
  Mat<dim> slope(int k) const { return (by_corner_[k] - n_ * (n_.transpose() * by_corner_[k])) / s_; }
  /// Returns the second derivative of r . n by the corners k (rows) and l (columns).
  Mat<dim> curvature(int k, int l, const Vec<dim>& r) const {
    const double along = r.dot(n_);
    const Mat<dim> by_normal =
        -(r * n_.transpose() + n_ * r.transpose() + along * (Mat<dim>::Identity() - 3.0 * n_ * n_.transpose())) /
        (s_ * s_);
    Mat<dim> sum = by_corner_[k].transpose() * by_normal * by_corner_[l];
    if constexpr (dim == 3) {
      // g . (u x v) = -u^T [g] v, where u = c1 - c0 and v = c2 - c0.
      constexpr std::array<double, 3> of_u = {-1.0, 1.0, 0.0}, of_v = {-1.0, 0.0, 1.0};
      const Vec<3> g = (r - along * n_) / s_;
      sum += (of_v[k] * of_u[l] - of_u[k] * of_v[l]) * cross_matrix(g);
    }
    return sum;
  }

 private:
  Vec<dim> n_;
  std::array<Mat<dim>, dim> by_corner_;  // of N
  double s_ = 0.0;
};

}  // namespace clearance
