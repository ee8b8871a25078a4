#include "clearance/bodies/shell/dihedral.h"

#include <Eigen/Geometry>
#include <cmath>

#include "clearance/math/elementary.h"

namespace clearance {

namespace {

/// One triangle beside the edge, with the outward normal N, not normalised.
struct Wing {
  Vec<3> edge, side, normal;  // x1 - x0, x2 - x0, their cross product
  Vec<3> lift;                // unit normal over the height, |e| N / N^2: how the angle falls as node 2 rises
  double foot = 0.0;          // barycentric of the foot of node 2 on the edge, towards node 1
};

Wing wing_of(const Vec<3>& x0, const Vec<3>& x1, const Vec<3>& x2, double sign) {
  Wing wing;
  wing.edge = x1 - x0;
  wing.side = x2 - x0;
  wing.normal = sign * wing.edge.cross(wing.side);
  wing.lift = wing.edge.norm() / wing.normal.squaredNorm() * wing.normal;
  wing.foot = wing.side.dot(wing.edge) / wing.edge.squaredNorm();
  return wing;
}

Mat<3> cross_matrix(const Vec<3>& v) {
  Mat<3> m;
  m << 0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0;
  return m;
}

double angle_between(const Wing& a, const Wing& b) {
  return elementary::atan2(a.normal.cross(b.normal).dot(a.edge) / a.edge.norm(), a.normal.dot(b.normal));
}

/// Adds the second derivatives of one wing, whose node 2 is node `third` of the four.
void add_wing(const Wing& wing, double sign, int third, Mat<12>& hessian) {
  const Vec<3>& e = wing.edge;
  const double length = e.norm(), area_sq = wing.normal.squaredNorm();
  // N = sign e x s with e = x1 - x0 and s = x2 - x0.
  const Mat<3> by_e = -sign * cross_matrix(wing.side), by_s = sign * cross_matrix(e);
  // lift = |e| N / N^2: d lift = (e . de / |e|) N / N^2 + |e| (dN / N^2 - 2 N (N . dN) / N^4).
  const Mat<3> by_normal =
      length / area_sq * (Mat<3>::Identity() - 2.0 / area_sq * wing.normal * wing.normal.transpose());
  const Mat<3> lift_by_e = wing.normal / area_sq * (e / length).transpose() + by_normal * by_e;
  const Mat<3> lift_by_s = by_normal * by_s;
  // foot = s . e / e^2.
  const Vec<3> foot_by_s = e / e.squaredNorm();
  const Vec<3> foot_by_e = (wing.side - 2.0 * wing.foot * e) / e.squaredNorm();
  const std::array<int, 3> nodes = {0, 1, third};
  const std::array<Mat<3>, 3> lift_by = {Mat<3>(-lift_by_e - lift_by_s), lift_by_e, lift_by_s};
  const std::array<Vec<3>, 3> foot_by = {Vec<3>(-foot_by_e - foot_by_s), foot_by_e, foot_by_s};
  // The gradient of the wing is (1 - foot) lift at node 0, foot lift at node 1 and -lift at node 2.
  for (std::size_t b = 0; b < 3; ++b) {
    const int column = 3 * nodes[b];
    hessian.block<3, 3>(0, column) += (1.0 - wing.foot) * lift_by[b] - wing.lift * foot_by[b].transpose();
    hessian.block<3, 3>(3, column) += wing.foot * lift_by[b] + wing.lift * foot_by[b].transpose();
    hessian.block<3, 3>(3 * third, column) -= lift_by[b];
  }
}

}  // namespace

double dihedral_angle(const DihedralNodes& x) {
  return angle_between(wing_of(x[0], x[1], x[2], 1.0), wing_of(x[0], x[1], x[3], -1.0));
}

DihedralGradient dihedral_gradient(const DihedralNodes& x) {
  const Wing a = wing_of(x[0], x[1], x[2], 1.0), b = wing_of(x[0], x[1], x[3], -1.0);
  DihedralGradient result;
  result.angle = angle_between(a, b);
  result.gradient << (1.0 - a.foot) * a.lift + (1.0 - b.foot) * b.lift, a.foot * a.lift + b.foot * b.lift, -a.lift,
      -b.lift;
  return result;
}

Mat<12> dihedral_hessian(const DihedralNodes& x) {
  Mat<12> hessian = Mat<12>::Zero();
  add_wing(wing_of(x[0], x[1], x[2], 1.0), 1.0, 2, hessian);
  add_wing(wing_of(x[0], x[1], x[3], -1.0), -1.0, 3, hessian);
  return hessian;
}

}  // namespace clearance
