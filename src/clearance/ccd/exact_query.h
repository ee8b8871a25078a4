// A query in exact arithmetic: what the oracle decides (ccd/exact_ccd.h).
//
// Coordinates are integers in a common unit: doubles are integers times a power of two, and rational numbers have a
// common denominator. Nothing is rounded.
#pragma once

#include <gmpxx.h>

#include <array>

#include "clearance/ccd/query.h"

namespace clearance {

/// The vertices of a pair at t0 and t1 and a distance, all in the same unit; the order is PrimitiveMotion's.
struct ExactQuery {
  using Vertices = std::array<std::array<mpz_class, 3>, 4>;
  QueryKind kind = QueryKind::point_triangle;
  Vertices t0, t1;
  mpz_class min_separation;  ///< L-infinity norm, not negative
};

/// Converts a query with finite coordinates of any size.
ExactQuery to_exact(const CcdQuery& query, double min_separation = 0.0);

using RationalVertices = std::array<std::array<mpq_class, 3>, 4>;
ExactQuery to_exact(QueryKind kind, const RationalVertices& t0, const RationalVertices& t1,
                    const mpq_class& min_separation = 0);

}  // namespace clearance
