// Gradients and Hessians of the four squared distance formulas of distance.h, in closed form.
//
// All four are the squared length of a residual that is smallest over the parameters of the closest points:
//   point-point  r = w                 z = (w)        w = b - a
//   point-line   r = w - t a           z = (w, a)     w = p - e0,     a = e1 - e0
//   point-plane  r = w - s a - t b     z = (w, a, b)  w = p - t0,     a = t1 - t0,    b = t2 - t0
//   line-line    r = w - s a - t b     z = (w, a, b)  w = eb0 - ea0,  a = ea1 - ea0,  b = eb1 - eb0
// (point-plane and line-line are the same function of z: (w . (a x b))^2 / |a x b|^2). Two forms are offered:
// - *reduced*: by the relative positions z. Distances do not change under translation, so the reduced Hessian holds all
//   of the curvature; it is one block smaller than the full one, which makes its PSD projection twice as cheap.
// - *full*: by the vertices in the order of the arguments. x -> z is linear with a constant matrix R of entries -1, 0
//   and 1 (`..._relative`), so gradient = R^T g and Hessian = R^T H R (`expand`), PSD if H is.
// Degenerate input (a line or plane without extent, parallel lines) gives zeros for the undefined terms, never a NaN;
// the closest-feature types never ask for it.
#pragma once

#include "clearance/math/types.h"

namespace clearance {

// --- reduced: derivatives by the relative positions z ---

/// z = (w, a): squared length of the part of w that is orthogonal to a. dim 2 and 3.
template <int dim>
Vec<2 * dim> relative_line_distance_sq_gradient(const Vec<dim>& w, const Vec<dim>& a);
template <int dim>
void relative_line_distance_sq_derivatives(const Vec<dim>& w, const Vec<dim>& a, Vec<2 * dim>& gradient,
                                           Mat<2 * dim>& hessian);

/// z = (w, a, b): squared length of the part of w that is orthogonal to a and b.
Vec<9> relative_plane_distance_sq_gradient(const Vec<3>& w, const Vec<3>& a, const Vec<3>& b);
void relative_plane_distance_sq_derivatives(const Vec<3>& w, const Vec<3>& a, const Vec<3>& b, Vec<9>& gradient,
                                            Mat<9>& hessian);

// --- the constant matrices R: which relative positions each vertex moves ---

/// sign[k][v]: coefficient of vertex v in relative position k.
template <int num_relative, int num_vertices>
struct RelativeMap {
  signed char sign[num_relative][num_vertices];

  /// R^T g
  template <int dim>
  Vec<dim * num_vertices> expand(const Vec<dim * num_relative>& g) const {
    Vec<dim* num_vertices> full = Vec<dim * num_vertices>::Zero();
    for (int k = 0; k < num_relative; ++k) {
      for (int v = 0; v < num_vertices; ++v) {
        if (sign[k][v] != 0) full.template segment<dim>(dim * v) += sign[k][v] * g.template segment<dim>(dim * k);
      }
    }
    return full;
  }

  /// R^T H R: columns first, then rows.
  template <int dim>
  Mat<dim * num_vertices> expand(const Mat<dim * num_relative>& h) const {
    Mat<dim * num_relative, dim* num_vertices> half = Mat<dim * num_relative, dim * num_vertices>::Zero();
    Mat<dim* num_vertices> full = Mat<dim * num_vertices>::Zero();
    for (int k = 0; k < num_relative; ++k) {
      for (int v = 0; v < num_vertices; ++v) {
        if (sign[k][v] != 0) {
          half.template middleCols<dim>(dim * v) += sign[k][v] * h.template middleCols<dim>(dim * k);
        }
      }
    }
    for (int k = 0; k < num_relative; ++k) {
      for (int v = 0; v < num_vertices; ++v) {
        if (sign[k][v] != 0) {
          full.template middleRows<dim>(dim * v) += sign[k][v] * half.template middleRows<dim>(dim * k);
        }
      }
    }
    return full;
  }
};

inline constexpr RelativeMap<1, 2> point_point_relative = {{{-1, 1}}};                // a, b
inline constexpr RelativeMap<2, 3> point_line_relative = {{{1, -1, 0}, {0, -1, 1}}};  // p, e0, e1
inline constexpr RelativeMap<3, 4> point_plane_relative = {
    {{1, -1, 0, 0}, {0, -1, 1, 0}, {0, -1, 0, 1}}};  // p, t0, t1, t2
inline constexpr RelativeMap<3, 4> line_line_relative = {
    {{-1, 0, 1, 0}, {-1, 1, 0, 0}, {0, 0, -1, 1}}};  // ea0, ea1, eb0, eb1

// --- full: derivatives by the vertices in the order of the arguments ---

template <int dim>
Vec<2 * dim> point_point_distance_sq_gradient(const Vec<dim>& a, const Vec<dim>& b);
template <int dim>
void point_point_distance_sq_derivatives(const Vec<dim>& a, const Vec<dim>& b, Vec<2 * dim>& gradient,
                                         Mat<2 * dim>& hessian);

template <int dim>
Vec<3 * dim> point_line_distance_sq_gradient(const Vec<dim>& p, const Vec<dim>& e0, const Vec<dim>& e1);
template <int dim>
void point_line_distance_sq_derivatives(const Vec<dim>& p, const Vec<dim>& e0, const Vec<dim>& e1,
                                        Vec<3 * dim>& gradient, Mat<3 * dim>& hessian);

Vec<12> point_plane_distance_sq_gradient(const Vec<3>& p, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2);
void point_plane_distance_sq_derivatives(const Vec<3>& p, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2,
                                         Vec<12>& gradient, Mat<12>& hessian);

Vec<12> line_line_distance_sq_gradient(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1);
void line_line_distance_sq_derivatives(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1,
                                       Vec<12>& gradient, Mat<12>& hessian);

}  // namespace clearance
