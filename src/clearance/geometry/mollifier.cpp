#include "clearance/geometry/mollifier.h"

#include "clearance/geometry/distance.h"

namespace clearance {

namespace {

/// Sign of vertex i of ea0, ea1, eb0, eb1 in its edge vector, which is an end minus a start.
constexpr double sign(int i) {
  return i % 2 == 0 ? -1.0 : 1.0;
}

/// Returns de/dc [1/m^4] where c < eps_x, otherwise 0.
double slope(double c, double eps_x) {
  return c < eps_x ? 2.0 * (1.0 - c / eps_x) / eps_x : 0.0;
}

/// Returns dc/da = 2 b x n, dc/db = 2 n x a with n = a x b, c = |n|^2.
Vec<6> cross_sq_gradient(const Vec<3>& a, const Vec<3>& b, const Vec<3>& n) {
  Vec<6> g;
  g << 2.0 * cross_product(b, n), 2.0 * cross_product(n, a);
  return g;
}

/// Returns the second derivatives of c = |a|^2 |b|^2 - (a . b)^2.
Mat<6> cross_sq_hessian(const Vec<3>& a, const Vec<3>& b) {
  const Mat<3> identity = Mat<3>::Identity();
  const Mat<3> outer = a * b.transpose();
  const Mat<3> mixed = 4.0 * outer - 2.0 * outer.transpose() - (2.0 * a.dot(b)) * identity;
  Mat<6> h;
  h.topLeftCorner<3, 3>() = (2.0 * b.squaredNorm()) * identity - 2.0 * b * b.transpose();
  h.topRightCorner<3, 3>() = mixed;
  h.bottomLeftCorner<3, 3>() = mixed.transpose();
  h.bottomRightCorner<3, 3>() = (2.0 * a.squaredNorm()) * identity - 2.0 * a * a.transpose();
  return h;
}

}  // namespace

double edge_edge_cross_sq(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1) {
  return cross_product(ea1 - ea0, eb1 - eb0).squaredNorm();
}

double edge_edge_mollifier(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1, double eps_x) {
  return edge_edge_mollifier(edge_edge_cross_sq(ea0, ea1, eb0, eb1), eps_x);
}

Vec<6> relative_edge_edge_mollifier_gradient(const Vec<3>& a, const Vec<3>& b, double eps_x) {
  const Vec<3> n = cross_product(a, b);
  return slope(n.squaredNorm(), eps_x) * cross_sq_gradient(a, b, n);
}

void relative_edge_edge_mollifier_derivatives(const Vec<3>& a, const Vec<3>& b, double eps_x, Vec<6>& gradient,
                                              Mat<6>& hessian) {
  const Vec<3> n = cross_product(a, b);
  const double c = n.squaredNorm();
  if (!(c < eps_x)) {
    gradient.setZero();
    hessian.setZero();
    return;
  }
  const Vec<6> c_gradient = cross_sq_gradient(a, b, n);
  const double curvature = -2.0 / (eps_x * eps_x);  // d2e/dc2
  gradient = slope(c, eps_x) * c_gradient;
  hessian = slope(c, eps_x) * cross_sq_hessian(a, b) + curvature * c_gradient * c_gradient.transpose();
}

Vec<12> edge_edge_mollifier_gradient(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1,
                                     double eps_x) {
  const Vec<6> g = relative_edge_edge_mollifier_gradient(ea1 - ea0, eb1 - eb0, eps_x);
  Vec<12> gradient;
  for (int i = 0; i < 4; ++i) gradient.segment<3>(3 * i) = sign(i) * g.segment<3>(3 * (i / 2));
  return gradient;
}

void edge_edge_mollifier_derivatives(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1,
                                     double eps_x, Vec<12>& gradient, Mat<12>& hessian) {
  Vec<6> g;
  Mat<6> h;
  relative_edge_edge_mollifier_derivatives(ea1 - ea0, eb1 - eb0, eps_x, g, h);
  for (int i = 0; i < 4; ++i) {
    gradient.segment<3>(3 * i) = sign(i) * g.segment<3>(3 * (i / 2));
    for (int k = 0; k < 4; ++k) {
      hessian.block<3, 3>(3 * i, 3 * k) = sign(i) * sign(k) * h.block<3, 3>(3 * (i / 2), 3 * (k / 2));
    }
  }
}

}  // namespace clearance
