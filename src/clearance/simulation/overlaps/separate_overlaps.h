// Separation of bodies that meet, or are in one another, at the start of a scene (docs/overlaps.md).
#pragma once

#include "clearance/base/result.h"
#include "clearance/simulation/overlaps/separation.h"

namespace clearance {

/// Moves bodies as little as possible. First it moves bodies that nothing holds, as wholes, and bends deformable bodies
/// that still overlap. If that is not enough, obstacles and stiff bodies with motions move too, and in the end
/// deformable bodies together with the nodes that are held. Issues: what cannot be separated, pair by pair, with
/// places. The scene must be valid (`validate`) and its bodies must have names.
Result<Separation> separate_overlaps(const SceneDesc& scene);

}  // namespace clearance
