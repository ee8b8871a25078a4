// Mollifier of edge-edge contact [Fer23, eq. 2.24]. It is 1 for edges that cross at an angle and falls to 0 as they
// become parallel, where their distance is not differentiable. It is C1 in the positions.
//
//   e(c) = -(c / eps_x)^2 + 2 c / eps_x  for c < eps_x, else 1;   c = |a x b|^2,  a = ea1 - ea0,  b = eb1 - eb0   [m^4]
//
// The reduced form has derivatives with respect to z = (a, b).
#pragma once

#include "clearance/math/types.h"

namespace clearance {

/// Returns eps_x [m^4] from the squared lengths [m^2] of both edges at rest.
inline double edge_edge_mollifier_threshold(double ea_rest_length_sq, double eb_rest_length_sq) {
  return 1e-3 * ea_rest_length_sq * eb_rest_length_sq;
}

/// Returns c = |(ea1 - ea0) x (eb1 - eb0)|^2 [m^4]. The mollifier is 1, with zero derivatives, where c >= eps_x.
double edge_edge_cross_sq(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1);

/// Returns e(c), in [0, 1].
inline double edge_edge_mollifier(double c, double eps_x) {
  if (!(c < eps_x)) return 1.0;
  const double ratio = c / eps_x;
  return ratio * (2.0 - ratio);
}

double edge_edge_mollifier(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1, double eps_x);

// --- reduced: by the edge vectors (a, b) ---

Vec<6> relative_edge_edge_mollifier_gradient(const Vec<3>& a, const Vec<3>& b, double eps_x);
void relative_edge_edge_mollifier_derivatives(const Vec<3>& a, const Vec<3>& b, double eps_x, Vec<6>& gradient,
                                              Mat<6>& hessian);

// --- full: by ea0, ea1, eb0, eb1 ---

Vec<12> edge_edge_mollifier_gradient(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1,
                                     double eps_x);
void edge_edge_mollifier_derivatives(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1,
                                     double eps_x, Vec<12>& gradient, Mat<12>& hessian);

}  // namespace clearance
