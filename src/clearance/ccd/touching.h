// Exact contact test of two primitives that do not move.
#pragma once

#include "clearance/ccd/query.h"

namespace clearance {

enum class Touching { no, yes, unknown };

/// Tests whether the closed primitives, degenerate ones included, have a point in common at t0 or, if `is_end`, at t1.
/// The answer is unknown only for coordinates beyond the range of the predicates (math/predicates.h) or not finite.
Touching find_touching(const CcdQuery& query, bool is_end);

}  // namespace clearance
