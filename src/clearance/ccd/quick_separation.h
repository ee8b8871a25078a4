// The cheapest certificates that two primitives stay apart: a few directions at once, one corner per lane.
#pragma once

#include "clearance/ccd/query.h"

namespace clearance {

/// True if the primitives certainly keep more than `separation` [m], Euclidean, during all of [0, 1]: some axis, the
/// normal of the face at t0 or the line of the centres separates them at t0 and at t1, and so in between, where the
/// corners move on straight lines. False says nothing.
bool stays_apart(QueryKind kind, const PrimitiveMotion<3, 4>& motion, double separation);

}  // namespace clearance
