// Round bodies with so few sides that they rest where something round rolls.
#pragma once

#include "clearance/simulation/hint.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// Stiff bodies of round generators on half-spaces that they rub on, which are steep enough or on which they start fast
/// enough to roll, with sides that keep them from it or take more than three hundredths of what they gain.
void warn_of_faceted_rolling(const SceneDesc& desc, const SceneModel& scene, Issues& hints);

}  // namespace clearance
