#include "clearance/geometry/distance_derivatives.h"

#include <cmath>

#include "clearance/geometry/distance.h"

namespace clearance {

namespace {

double inverse_or_zero(double value) {
  return value > 0.0 ? 1.0 / value : 0.0;
}

/// What value, gradient and Hessian of the plane distance share.
struct PlaneFrame {
  Vec<3> unit_normal;  ///< of a x b; zero if they are parallel
  Vec<3> unscaled_normal;
  double normal_sq_inverse;
  double height;  ///< of w above the plane of a and b, signed [m]
  double s, t;    ///< the part of w in the plane is s a + t b

  PlaneFrame(const Vec<3>& w, const Vec<3>& a, const Vec<3>& b) : unscaled_normal(cross_product(a, b)) {
    normal_sq_inverse = inverse_or_zero(unscaled_normal.squaredNorm());
    unit_normal = unscaled_normal * std::sqrt(normal_sq_inverse);
    height = unit_normal.dot(w);
    s = unscaled_normal.dot(cross_product(w, b)) * normal_sq_inverse;
    t = unscaled_normal.dot(cross_product(a, w)) * normal_sq_inverse;
  }

  /// The parameters of the closest point are at their optimum, so they count as constant: d|r|^2 = 2 r . dr.
  Vec<9> gradient() const {
    const Vec<3> r2 = (2.0 * height) * unit_normal;
    Vec<9> g;
    g << r2, -s * r2, -t * r2;
    return g;
  }
};

}  // namespace

template <int dim>
Vec<2 * dim> relative_line_distance_sq_gradient(const Vec<dim>& w, const Vec<dim>& a) {
  const double t = w.dot(a) * inverse_or_zero(a.squaredNorm());
  const Vec<dim> r2 = 2.0 * (w - t * a);
  Vec<2 * dim> g;
  g << r2, -t * r2;
  return g;
}

template <int dim>
void relative_line_distance_sq_derivatives(const Vec<dim>& w, const Vec<dim>& a, Vec<2 * dim>& gradient,
                                           Mat<2 * dim>& hessian) {
  const double inverse = inverse_or_zero(a.squaredNorm());
  const double t = w.dot(a) * inverse;
  const Vec<dim> r = w - t * a;
  gradient << 2.0 * r, (-2.0 * t) * r;

  // dr/dw = P = I - a a^T / |a|^2,  dt/dw = a / |a|^2,  dt/da = (r - t a) / |a|^2,  dr/da = -t P - a r^T / |a|^2.
  const Mat<dim> projector2 = 2.0 * Mat<dim>::Identity() - (2.0 * inverse) * a * a.transpose();
  const Mat<dim> a_r2 = (2.0 * inverse) * a * r.transpose();
  const Mat<dim> by_w_and_a = -t * projector2 - a_r2;
  hessian.template topLeftCorner<dim, dim>() = projector2;
  hessian.template topRightCorner<dim, dim>() = by_w_and_a;
  hessian.template bottomLeftCorner<dim, dim>() = by_w_and_a.transpose();
  hessian.template bottomRightCorner<dim, dim>() =
      (t * t) * projector2 + t * (a_r2 + a_r2.transpose()) - (2.0 * inverse) * r * r.transpose();
}

Vec<9> relative_plane_distance_sq_gradient(const Vec<3>& w, const Vec<3>& a, const Vec<3>& b) {
  return PlaneFrame(w, a, b).gradient();
}

// With F(z, y) = |w - s a - t b|^2 smallest at y = (s, t), the Hessian of the minimum is F_zz - F_zy F_yy^-1 F_yz,
// where
//   F_zz = 2 J^T J,  J = [I, -s I, -t I];   F_yy = 2 G,  G the Gram matrix of a and b;
//   F_zy = -2 (J^T [a b] + [r in row a, r in row b]).
// The products of J^T [a b] with G^-1 give the projector n n^T and the dual basis alpha, beta (alpha . a = 1, alpha . b
// = 0), and r = height n, so every block is a sum of outer products with the unit normal n:
void relative_plane_distance_sq_derivatives(const Vec<3>& w, const Vec<3>& a, const Vec<3>& b, Vec<9>& gradient,
                                            Mat<9>& hessian) {
  const PlaneFrame frame(w, a, b);
  gradient = frame.gradient();

  const Vec<3>& n = frame.unit_normal;
  const double s = frame.s, t = frame.t, h = frame.height, inverse = frame.normal_sq_inverse;
  const Vec<3> h_alpha = (h * inverse) * cross_product(b, frame.unscaled_normal);
  const Vec<3> h_beta = (h * inverse) * cross_product(frame.unscaled_normal, a);
  const double h_sq = h * h * inverse;  // h^2 G^-1 = h_sq [|b|^2, -a.b; -a.b, |a|^2]

  const Vec<3> wa = -2.0 * (s * n + h_alpha);
  const Vec<3> wb = -2.0 * (t * n + h_beta);
  const Vec<3> aa = (s * s - h_sq * b.squaredNorm()) * n + (2.0 * s) * h_alpha;
  const Vec<3> bb = (t * t - h_sq * a.squaredNorm()) * n + (2.0 * t) * h_beta;
  const Vec<3> ab_left = (2.0 * (s * t + h_sq * a.dot(b))) * n + (2.0 * s) * h_beta;
  const Vec<3> ab_right = (2.0 * t) * h_alpha;

  const Mat<3> block_wa = wa * n.transpose();
  const Mat<3> block_wb = wb * n.transpose();
  const Mat<3> block_ab = ab_left * n.transpose() + n * ab_right.transpose();
  hessian.block<3, 3>(0, 0) = (2.0 * n) * n.transpose();
  hessian.block<3, 3>(0, 3) = block_wa;
  hessian.block<3, 3>(3, 0) = block_wa.transpose();
  hessian.block<3, 3>(0, 6) = block_wb;
  hessian.block<3, 3>(6, 0) = block_wb.transpose();
  hessian.block<3, 3>(3, 3) = aa * n.transpose() + n * aa.transpose();
  hessian.block<3, 3>(3, 6) = block_ab;
  hessian.block<3, 3>(6, 3) = block_ab.transpose();
  hessian.block<3, 3>(6, 6) = bb * n.transpose() + n * bb.transpose();
}

template <int dim>
Vec<2 * dim> point_point_distance_sq_gradient(const Vec<dim>& a, const Vec<dim>& b) {
  const Vec<dim> r2 = 2.0 * (b - a);
  Vec<2 * dim> g;
  g << -r2, r2;
  return g;
}

template <int dim>
void point_point_distance_sq_derivatives(const Vec<dim>& a, const Vec<dim>& b, Vec<2 * dim>& gradient,
                                         Mat<2 * dim>& hessian) {
  gradient = point_point_distance_sq_gradient<dim>(a, b);
  const Mat<dim> two = 2.0 * Mat<dim>::Identity();
  hessian << two, -two, -two, two;
}

template <int dim>
Vec<3 * dim> point_line_distance_sq_gradient(const Vec<dim>& p, const Vec<dim>& e0, const Vec<dim>& e1) {
  return point_line_relative.expand<dim>(relative_line_distance_sq_gradient<dim>(p - e0, e1 - e0));
}

template <int dim>
void point_line_distance_sq_derivatives(const Vec<dim>& p, const Vec<dim>& e0, const Vec<dim>& e1,
                                        Vec<3 * dim>& gradient, Mat<3 * dim>& hessian) {
  Vec<2 * dim> g;
  Mat<2 * dim> h;
  relative_line_distance_sq_derivatives<dim>(p - e0, e1 - e0, g, h);
  gradient = point_line_relative.expand<dim>(g);
  hessian = point_line_relative.expand<dim>(h);
}

Vec<12> point_plane_distance_sq_gradient(const Vec<3>& p, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2) {
  return point_plane_relative.expand<3>(relative_plane_distance_sq_gradient(p - t0, t1 - t0, t2 - t0));
}

void point_plane_distance_sq_derivatives(const Vec<3>& p, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2,
                                         Vec<12>& gradient, Mat<12>& hessian) {
  Vec<9> g;
  Mat<9> h;
  relative_plane_distance_sq_derivatives(p - t0, t1 - t0, t2 - t0, g, h);
  gradient = point_plane_relative.expand<3>(g);
  hessian = point_plane_relative.expand<3>(h);
}

Vec<12> line_line_distance_sq_gradient(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1) {
  return line_line_relative.expand<3>(relative_plane_distance_sq_gradient(eb0 - ea0, ea1 - ea0, eb1 - eb0));
}

void line_line_distance_sq_derivatives(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1,
                                       Vec<12>& gradient, Mat<12>& hessian) {
  Vec<9> g;
  Mat<9> h;
  relative_plane_distance_sq_derivatives(eb0 - ea0, ea1 - ea0, eb1 - eb0, g, h);
  gradient = line_line_relative.expand<3>(g);
  hessian = line_line_relative.expand<3>(h);
}

#define CLEARANCE_INSTANTIATE(dim)                                                                               \
  template Vec<2 * dim> relative_line_distance_sq_gradient<dim>(const Vec<dim>&, const Vec<dim>&);               \
  template void relative_line_distance_sq_derivatives<dim>(const Vec<dim>&, const Vec<dim>&, Vec<2 * dim>&,      \
                                                           Mat<2 * dim>&);                                       \
  template Vec<2 * dim> point_point_distance_sq_gradient<dim>(const Vec<dim>&, const Vec<dim>&);                 \
  template void point_point_distance_sq_derivatives<dim>(const Vec<dim>&, const Vec<dim>&, Vec<2 * dim>&,        \
                                                         Mat<2 * dim>&);                                         \
  template Vec<3 * dim> point_line_distance_sq_gradient<dim>(const Vec<dim>&, const Vec<dim>&, const Vec<dim>&); \
  template void point_line_distance_sq_derivatives<dim>(const Vec<dim>&, const Vec<dim>&, const Vec<dim>&,       \
                                                        Vec<3 * dim>&, Mat<3 * dim>&);
CLEARANCE_INSTANTIATE(2)
CLEARANCE_INSTANTIATE(3)
#undef CLEARANCE_INSTANTIATE

}  // namespace clearance
