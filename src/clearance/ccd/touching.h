// Contact of two primitives that do not move, exactly.
#pragma once

#include "clearance/ccd/query.h"

namespace clearance {

enum class Touching { no, yes, unknown };

/// Whether the closed primitives have a point in common at t0 or, if `is_end`, at t1; degenerate ones as well. Unknown
/// only for coordinates that are beyond the range of the predicates (math/predicates.h) or not finite.
Touching find_touching(const CcdQuery& query, bool is_end);

}  // namespace clearance
