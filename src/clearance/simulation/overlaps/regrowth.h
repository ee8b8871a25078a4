// Bending of deformable bodies that cannot be moved apart as wholes.
#pragma once

#include <array>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/simulation/overlaps/separation.h"

namespace clearance {

/// Bends bodies until nothing meets. First, surfaces that still meet are drawn in against their normals until exact
/// tests are clean. Then the bodies grow back to their shape at rest, against the barrier and with everything else
/// held, as far as there is room; they start where their elastic forces and those of the contacts balance. Appends to
/// the moves of `separation`. `pairs` lists bodies, by their numbers, that are in one another even if no surfaces meet.
/// Issues: what still meets at the end.
Issues bend_apart(Separation& separation, const std::vector<std::array<int, 2>>& pairs);

}  // namespace clearance
