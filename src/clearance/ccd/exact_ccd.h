// The exact oracle: decides every query, and knows its first time of contact as an algebraic number.
//
// The corners r_k(t) of the relative motion (ccd/relative_motion.h) are linear in time. The pair is within the distance
// d in the L-infinity norm where the flat polygon of the r_k meets the cube [-d, d]^3. They do not meet exactly if one
// of these directions separates them: the three axes of the cube, the normal of the polygon, and the cross products of
// axes and edges. For d > 0 they are the normals of the facets of the Minkowski sum, which has a volume. For d = 0, if
// the origin is in the plane of the polygon, the polygon contains it exactly if that is so in the projections along the
// axes, and the cross products are the normals of the projected edges; if the polygon is a segment, the cross products
// see whether the origin is on its line, and the axes whether it is beyond an end; if it is a point, the axes do it.
// So no case is special.
//
// Along a direction the margin of separation is a handful of polynomials of degree three or less in time, which must
// all be positive. The sweep starts at the first time asked and jumps to the end of what some direction separates,
// until none separates (contact) or the rest of the motion is separated.
#pragma once

#include <optional>

#include "clearance/ccd/exact_query.h"
#include "clearance/ccd/exact_time.h"

namespace clearance {

/// The first time in [t_begin, 1] at which the closed primitives are within the minimum separation of the query.
std::optional<ExactTime> find_first_contact(const ExactQuery& query, double t_begin = 0.0);

/// Does the same for coordinates in floating point. If one is not finite, the answer is the safe one: contact at
/// t_begin.
std::optional<ExactTime> find_first_contact(const CcdQuery& query, double min_separation = 0.0, double t_begin = 0.0);

/// True if there is a first contact. Most contacts are proven in floating point (exact_filter.h), at a tenth of the
/// cost of find_first_contact.
bool is_hit(const CcdQuery& query, double min_separation = 0.0, double t_begin = 0.0);

}  // namespace clearance
