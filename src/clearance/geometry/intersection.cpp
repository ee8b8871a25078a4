#include "clearance/geometry/intersection.h"

#include <algorithm>

#include "clearance/math/predicates.h"

namespace clearance {
namespace {

/// Comparisons of coordinates are exact, so disjoint boxes prove disjoint primitives.
template <int dim>
bool boxes_overlap(const Vec<dim>& a0, const Vec<dim>& a1, const Vec<dim>& b0, const Vec<dim>& b1) {
  for (int k = 0; k < dim; ++k) {
    if (std::max(a0[k], a1[k]) < std::min(b0[k], b1[k]) || std::max(b0[k], b1[k]) < std::min(a0[k], a1[k]))
      return false;
  }
  return true;
}

/// Projects a point along the coordinate `axis`.
Vec<2> project(const Vec<3>& p, int axis) {
  return {p[(axis + 1) % 3], p[(axis + 2) % 3]};
}

/// Returns an axis along which a, b, c project to a triangle with area, or -1 if they are collinear in space.
int find_projection_axis(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c) {
  for (int axis = 0; axis < 3; ++axis) {
    if (orient2d(project(a, axis), project(b, axis), project(c, axis)) != 0) return axis;
  }
  return -1;
}

/// True if both are on the same side and neither is on the line or plane itself.
bool same_strict_side(int side_a, int side_b) {
  return side_a != 0 && side_a == side_b;
}

bool coplanar_edge_intersects_triangle(const Vec<2>& e0, const Vec<2>& e1, const Vec<2>& t0, const Vec<2>& t1,
                                       const Vec<2>& t2) {
  return point_in_triangle(e0, t0, t1, t2) || edges_intersect(e0, e1, t0, t1) || edges_intersect(e0, e1, t1, t2) ||
         edges_intersect(e0, e1, t2, t0);
}

}  // namespace

bool point_in_triangle(const Vec<2>& p, const Vec<2>& t0, const Vec<2>& t1, const Vec<2>& t2) {
  const int side0 = orient2d(t0, t1, p), side1 = orient2d(t1, t2, p), side2 = orient2d(t2, t0, p);
  // If the triangle is degenerate, all three signs are zero for points of its line, and the edges decide.
  if (side0 == 0 && side1 == 0 && side2 == 0) {
    return edges_intersect(p, p, t0, t1) || edges_intersect(p, p, t1, t2) || edges_intersect(p, p, t2, t0);
  }
  if (orient2d(t0, t1, t2) == 0) return false;
  return (side0 >= 0 && side1 >= 0 && side2 >= 0) || (side0 <= 0 && side1 <= 0 && side2 <= 0);
}

bool edges_intersect(const Vec<2>& a0, const Vec<2>& a1, const Vec<2>& b0, const Vec<2>& b1) {
  if (!boxes_overlap<2>(a0, a1, b0, b1)) return false;
  // Each edge must have a point on the line of the other. For collinear edges all four signs are zero, and the
  // overlap of the boxes, known by now, is the overlap of the edges.
  if (same_strict_side(orient2d(a0, a1, b0), orient2d(a0, a1, b1))) return false;
  return !same_strict_side(orient2d(b0, b1, a0), orient2d(b0, b1, a1));
}

bool edges_intersect(const Vec<3>& a0, const Vec<3>& a1, const Vec<3>& b0, const Vec<3>& b1) {
  if (!boxes_overlap<3>(a0, a1, b0, b1)) return false;
  if (orient3d(a0, a1, b0, b1) != 0) return false;
  // The edges lie in a common plane. Any projection that keeps the plane a plane is one-to-one on it.
  const Vec<3>* triples[4][3] = {{&a0, &a1, &b0}, {&a0, &a1, &b1}, {&b0, &b1, &a0}, {&b0, &b1, &a1}};
  for (const auto& triple : triples) {
    const int axis = find_projection_axis(*triple[0], *triple[1], *triple[2]);
    if (axis >= 0) return edges_intersect(project(a0, axis), project(a1, axis), project(b0, axis), project(b1, axis));
  }
  // All points lie on one line, so the overlap of the boxes decides.
  return true;
}

bool edge_intersects_triangle(const Vec<3>& e0, const Vec<3>& e1, const Vec<3>& t0, const Vec<3>& t1,
                              const Vec<3>& t2) {
  const Vec<3> triangle_min = t0.cwiseMin(t1).cwiseMin(t2), triangle_max = t0.cwiseMax(t1).cwiseMax(t2);
  if (!boxes_overlap<3>(e0, e1, triangle_min, triangle_max)) return false;
  // The edge misses the triangle if both end points are strictly on one side of its plane.
  const auto [side0, side1] = orient3d(t0, t1, t2, e0, e1);
  if (same_strict_side(side0, side1)) return false;

  if (side0 == 0 && side1 == 0) {
    const int axis = find_projection_axis(t0, t1, t2);
    if (axis >= 0) {
      return coplanar_edge_intersects_triangle(project(e0, axis), project(e1, axis), project(t0, axis),
                                               project(t1, axis), project(t2, axis));
    }
    // A triangle without area is the union of its edges.
    return edges_intersect(e0, e1, t0, t1) || edges_intersect(e0, e1, t1, t2) || edges_intersect(e0, e1, t2, t0);
  }

  // The edge meets the plane in one point. It lies in the triangle if the line passes all edges on the same side.
  const int turn0 = orient3d(e0, e1, t0, t1), turn1 = orient3d(e0, e1, t1, t2);
  if (turn0 * turn1 < 0) return false;
  const int turn2 = orient3d(e0, e1, t2, t0);
  return (turn0 >= 0 && turn1 >= 0 && turn2 >= 0) || (turn0 <= 0 && turn1 <= 0 && turn2 <= 0);
}

}  // namespace clearance
