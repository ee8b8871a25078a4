// A query of continuous collision detection: do these two primitives of a surface meet between t0 and t1?
#pragma once

#include <span>

#include "clearance/ccd/ccd.h"

namespace clearance {

enum class QueryKind : unsigned char { point_triangle, edge_edge };

/// The vertices of one candidate pair at t0 and t1; their order is PrimitiveMotion's.
struct CcdQuery {
  QueryKind kind = QueryKind::point_triangle;
  PrimitiveMotion<3, 4> motion;
};

/// True if every coordinate is a finite number.
bool is_finite(const CcdQuery& query);

CcdResult find_impact(const CcdQuery& query, const CcdOptions& options);

/// results[i] answers queries[i] as find_impact does; both spans have the same length. Works on all threads; any number
/// of them gives the same bits.
void find_impacts(std::span<const CcdQuery> queries, const CcdOptions& options, std::span<CcdResult> results);

}  // namespace clearance
