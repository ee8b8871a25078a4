// Deformable bodies that cannot be moved apart as wholes are bent.
#pragma once

#include <array>
#include <vector>

#include "clearance/simulation/separation.h"

namespace clearance {

/// What still meets is drawn in along its surface until exact tests are clean; then the bodies grow back to their shape
/// at rest, against the barrier, with everything else held, as far as there is room: they start where their elastic
/// forces and those of the contacts balance. Appends to the moves of `separation`. `pairs`: bodies, by their numbers,
/// that are in one another even if no surfaces meet. Issues: what meets all the same.
Issues bend_apart(Separation& separation, const std::vector<std::array<int, 2>>& pairs);

}  // namespace clearance
