// Squared distances [m^2] between the primitives of two surfaces, after [Fer23, sec. 2.6.1]. The closest pair of points
// lies on a pair of vertex, edge or face interiors (the *type*). Within one type the distance is one of four closed
// formulas: point-point, point-line, point-plane and line-line [Fer23, eq. 2.21 to 2.23]. Every function is finite on
// every finite input: zero-length edges, zero-area triangles and parallel edges reduce to the lower case [Fer23, app.
// A.7.2].
//
// The relative accuracy is high: positions enter only through differences, so a common offset costs no more than the
// rounding of the positions themselves.
#pragma once

#include <algorithm>
#include <cstdint>

#include "clearance/math/types.h"

namespace clearance {

/// Closest feature of a triangle. Its edges are e0 = t0-t1, e1 = t1-t2, e2 = t2-t0.
enum class PointTriangleType : std::uint8_t { p_t0, p_t1, p_t2, p_e0, p_e1, p_e2, p_t };
enum class EdgeEdgeType : std::uint8_t { ea0_eb0, ea0_eb1, ea1_eb0, ea1_eb1, ea_eb0, ea_eb1, ea0_eb, ea1_eb, ea_eb };
enum class PointEdgeType : std::uint8_t { p_e0, p_e1, p_e };

/// Square of the smallest sine of an angle between edges that are not parallel. Triangles with a smaller one are
/// treated as segments ([Fer23, app. A.7.2]: 1e-10).
inline constexpr double parallel_sine_sq = 1e-20;

/// Returns the cross product. (Eigen's own function needs a header that triples the compile time.)
inline Vec<3> cross_product(const Vec<3>& a, const Vec<3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// --- the four closed formulas ---

template <int dim>
double point_point_distance_sq(const Vec<dim>& a, const Vec<dim>& b) {
  return (b - a).squaredNorm();
}

/// Returns the squared distance to the infinite line through e0 and e1, or to e0 if the two coincide [Fer23, eq. 2.21].
template <int dim>
double point_line_distance_sq(const Vec<dim>& p, const Vec<dim>& e0, const Vec<dim>& e1) {
  const Vec<dim> edge = e1 - e0;
  const Vec<dim> to_p = p - e0;
  const double length_sq = edge.squaredNorm();
  if (!(length_sq > 0.0)) return to_p.squaredNorm();
  if constexpr (dim == 2) {
    const double area = edge[0] * to_p[1] - edge[1] * to_p[0];
    return area * area / length_sq;
  } else {
    return cross_product(edge, to_p).squaredNorm() / length_sq;
  }
}

/// Returns the squared distance to the infinite plane through t0, t1 and t2, or to the line through t0 and t1 if they
/// span none [Fer23, eq. 2.22].
inline double point_plane_distance_sq(const Vec<3>& p, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2) {
  const Vec<3> normal = cross_product(t1 - t0, t2 - t0);
  const double normal_sq = normal.squaredNorm();
  if (!(normal_sq > 0.0)) return point_line_distance_sq<3>(p, t0, t1);
  const double height = normal.dot(p - t0);
  return height * height / normal_sq;
}

/// Returns the squared distance between the infinite lines through ea0, ea1 and through eb0, eb1. For exactly parallel
/// lines, it is measured from eb0 to line a [Fer23, eq. 2.23].
inline double line_line_distance_sq(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1) {
  const Vec<3> normal = cross_product(ea1 - ea0, eb1 - eb0);
  const double normal_sq = normal.squaredNorm();
  if (!(normal_sq > 0.0)) return point_line_distance_sq<3>(eb0, ea0, ea1);
  const double height = normal.dot(eb0 - ea0);
  return height * height / normal_sq;
}

// --- point and edge ---

template <int dim>
PointEdgeType point_edge_type(const Vec<dim>& p, const Vec<dim>& e0, const Vec<dim>& e1) {
  const Vec<dim> edge = e1 - e0;
  if (edge.dot(p - e0) <= 0.0) return PointEdgeType::p_e0;
  if (edge.dot(p - e1) >= 0.0) return PointEdgeType::p_e1;
  return PointEdgeType::p_e;
}

template <int dim>
double point_edge_distance_sq(const Vec<dim>& p, const Vec<dim>& e0, const Vec<dim>& e1, PointEdgeType type) {
  switch (type) {
    case PointEdgeType::p_e0:
      return point_point_distance_sq<dim>(p, e0);
    case PointEdgeType::p_e1:
      return point_point_distance_sq<dim>(p, e1);
    case PointEdgeType::p_e:
      break;
  }
  return point_line_distance_sq<dim>(p, e0, e1);
}

template <int dim>
double point_edge_distance_sq(const Vec<dim>& p, const Vec<dim>& e0, const Vec<dim>& e1) {
  return point_edge_distance_sq<dim>(p, e0, e1, point_edge_type<dim>(p, e0, e1));
}

// --- point and triangle ---

/// Returns the vertex or edge of the triangle closest to p by comparing the distances to its three edges (never p_t).
/// This serves triangles without area, and points that rounding leaves outside the triangle but in no region of its
/// boundary.
PointTriangleType point_triangle_boundary_type(const Vec<3>& p, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2);

inline PointTriangleType point_triangle_type(const Vec<3>& p, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2) {
  const Vec<3> e0 = t1 - t0, e1 = t2 - t1, e2 = t0 - t2;
  const Vec<3> w0 = p - t0, w1 = p - t1, w2 = p - t2;

  // Position along each edge: p is not past its start (a), not before its end (b). A vertex is closest if p is outside
  // both its edges.
  const double a0 = w0.dot(e0), a1 = w1.dot(e1), a2 = w2.dot(e2);
  const double b0 = w1.dot(e0), b1 = w2.dot(e1), b2 = w0.dot(e2);
  if (a0 <= 0.0 && b2 >= 0.0) return PointTriangleType::p_t0;
  if (a1 <= 0.0 && b0 >= 0.0) return PointTriangleType::p_t1;
  if (a2 <= 0.0 && b1 >= 0.0) return PointTriangleType::p_t2;

  const Vec<3> normal = cross_product(e0, e1);
  const double length_sq = std::max(e0.squaredNorm(), std::max(e1.squaredNorm(), e2.squaredNorm()));
  if (!(normal.squaredNorm() > parallel_sine_sq * length_sq * length_sq)) {
    return point_triangle_boundary_type(p, t0, t1, t2);
  }

  // Position across each edge in the plane of the triangle: true outside.
  const bool outside0 = normal.dot(cross_product(w0, e0)) >= 0.0;
  const bool outside1 = normal.dot(cross_product(w1, e1)) >= 0.0;
  const bool outside2 = normal.dot(cross_product(w2, e2)) >= 0.0;
  if (!outside0 && !outside1 && !outside2) return PointTriangleType::p_t;
  if (outside0 && a0 > 0.0 && b0 < 0.0) return PointTriangleType::p_e0;
  if (outside1 && a1 > 0.0 && b1 < 0.0) return PointTriangleType::p_e1;
  if (outside2 && a2 > 0.0 && b2 < 0.0) return PointTriangleType::p_e2;
  return point_triangle_boundary_type(p, t0, t1, t2);
}

double point_triangle_distance_sq(const Vec<3>& p, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2,
                                  PointTriangleType type);

inline double point_triangle_distance_sq(const Vec<3>& p, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2) {
  return point_triangle_distance_sq(p, t0, t1, t2, point_triangle_type(p, t0, t1, t2));
}

// --- edge and edge ---

/// Returns the closest of the four pairs of an end point and the other edge (never ea_eb). This serves parallel and
/// zero-length edges.
EdgeEdgeType edge_edge_boundary_type(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1);

namespace detail {
constexpr EdgeEdgeType end_point_type(PointEdgeType type, EdgeEdgeType e0, EdgeEdgeType e1, EdgeEdgeType interior) {
  return type == PointEdgeType::p_e0 ? e0 : type == PointEdgeType::p_e1 ? e1 : interior;
}
}  // namespace detail

/// Returns the type if the closest point of edge a is its end point ea0 or ea1.
inline EdgeEdgeType end_of_a_type(bool at_ea1, const Vec<3>& end, const Vec<3>& eb0, const Vec<3>& eb1) {
  const PointEdgeType type = point_edge_type<3>(end, eb0, eb1);
  return at_ea1 ? detail::end_point_type(type, EdgeEdgeType::ea1_eb0, EdgeEdgeType::ea1_eb1, EdgeEdgeType::ea1_eb)
                : detail::end_point_type(type, EdgeEdgeType::ea0_eb0, EdgeEdgeType::ea0_eb1, EdgeEdgeType::ea0_eb);
}

/// Returns the type if the closest point of edge b is its end point eb0 or eb1.
inline EdgeEdgeType end_of_b_type(bool at_eb1, const Vec<3>& end, const Vec<3>& ea0, const Vec<3>& ea1) {
  const PointEdgeType type = point_edge_type<3>(end, ea0, ea1);
  return at_eb1 ? detail::end_point_type(type, EdgeEdgeType::ea0_eb1, EdgeEdgeType::ea1_eb1, EdgeEdgeType::ea_eb1)
                : detail::end_point_type(type, EdgeEdgeType::ea0_eb0, EdgeEdgeType::ea1_eb0, EdgeEdgeType::ea_eb0);
}

inline EdgeEdgeType edge_edge_type(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1) {
  const Vec<3> a = ea1 - ea0, b = eb1 - eb0, w = eb0 - ea0;
  const Vec<3> normal = cross_product(a, b);
  const double normal_sq = normal.squaredNorm();
  if (!(normal_sq > parallel_sine_sq * a.squaredNorm() * b.squaredNorm())) {
    return edge_edge_boundary_type(ea0, ea1, eb0, eb1);
  }

  // The closest points of the two lines are ea0 + s/|n|^2 a and eb0 + t/|n|^2 b. Cross products keep the digits that
  // the usual difference of products of dot products loses for small angles.
  const double s = normal.dot(cross_product(w, b));
  const double t = normal.dot(cross_product(w, a));
  const bool s_inside = s > 0.0 && s < normal_sq;
  const bool t_inside = t > 0.0 && t < normal_sq;
  if (s_inside && t_inside) return EdgeEdgeType::ea_eb;

  // The distance is convex in (s, t). If one parameter is outside, the minimum is on that side of the square.
  const bool at_ea1 = s > 0.0, at_eb1 = t > 0.0;
  const Vec<3>& end_a = at_ea1 ? ea1 : ea0;
  const Vec<3>& end_b = at_eb1 ? eb1 : eb0;
  if (t_inside) return end_of_a_type(at_ea1, end_a, eb0, eb1);
  if (s_inside) return end_of_b_type(at_eb1, end_b, ea0, ea1);

  // If both parameters are outside, the distance can fall from the corner along at most one of the two sides that meet
  // there.
  const double along_b = b.dot(end_a - end_b);
  const bool falls_along_b = at_eb1 ? along_b < 0.0 : along_b > 0.0;
  return falls_along_b ? end_of_a_type(at_ea1, end_a, eb0, eb1) : end_of_b_type(at_eb1, end_b, ea0, ea1);
}

double edge_edge_distance_sq(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1,
                             EdgeEdgeType type);

inline double edge_edge_distance_sq(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1) {
  return edge_edge_distance_sq(ea0, ea1, eb0, eb1, edge_edge_type(ea0, ea1, eb0, eb1));
}

}  // namespace clearance
