// Proofs of most contacts in floating point, before exact arithmetic is needed.
#pragma once

#include "clearance/ccd/query.h"

namespace clearance {

/// True only if the closed primitives touch at some time in [t_begin, 1]: the volume of the corners of the relative
/// motion changes sign, and around that time the origin is inside their projection along an axis, both proven in
/// interval arithmetic. False says nothing.
bool is_certainly_touching(const CcdQuery& query, double t_begin = 0.0);

/// True only if at time t in [0, 1] some point of the one is within the distance d > 0 (L-infinity norm) of some point
/// of the other: the closest points of their features in floating point, measured in interval arithmetic. False says
/// nothing.
bool is_certainly_within(const CcdQuery& query, double d, double t);

}  // namespace clearance
