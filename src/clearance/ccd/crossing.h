// A certificate that two primitives meet, from floating-point numbers with error bounds.
#pragma once

#include "clearance/ccd/relative_motion.h"

namespace clearance {

/// True if the hull of the corners certainly passes through the origin in [begin, end], a part of [0, 1]: the origin
/// changes sides of its plane (so that it is in the plane at some time) and projects to its inside all the while. False
/// says nothing: impacts at outlines, of degenerate primitives and without a change of sides need exact arithmetic.
template <int num_corners>
bool certainly_crosses(const RelativeMotion<3, num_corners>& motion, double begin, double end);

}  // namespace clearance
