// A query of continuous collision detection: do these two primitives of a surface meet between t0 and t1?
#pragma once

#include <array>

#include "clearance/math/types.h"

namespace clearance {

/// Positions of the vertices of two primitives at t0 and t1.
/// point_triangle: p, t0, t1, t2; edge_edge: ea0, ea1, eb0, eb1; point_edge: p, e0, e1; point_point: p0, p1.
template <int dim, int num_vertices>
struct PrimitiveMotion {
  std::array<Vec<dim>, num_vertices> t0;
  std::array<Vec<dim>, num_vertices> t1;
};

enum class QueryKind : unsigned char { point_triangle, edge_edge };

/// The vertices of one candidate pair at t0 and t1; their order is PrimitiveMotion's.
struct CcdQuery {
  QueryKind kind = QueryKind::point_triangle;
  PrimitiveMotion<3, 4> motion;
};

/// True if every coordinate is a finite number.
bool is_finite(const CcdQuery& query);

}  // namespace clearance
