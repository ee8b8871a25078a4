// One question to continuous collision detection: do these two primitives of a surface meet between t0 and t1?
#pragma once

#include "clearance/ccd/ccd.h"

namespace clearance {

enum class QueryKind : unsigned char { point_triangle, edge_edge };

/// The vertices of one candidate pair at t0 and t1; their order is PrimitiveMotion's.
struct CcdQuery {
  QueryKind kind = QueryKind::point_triangle;
  PrimitiveMotion<3, 4> motion;
};

}  // namespace clearance
