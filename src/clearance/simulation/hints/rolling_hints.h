// Warnings about round bodies with so few sides that they rest where something round rolls.
#pragma once

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

/// Warns of stiff bodies of round generators on half-spaces with friction. The half-space must be steep enough, or the
/// body must start fast enough, for it to roll, and its flat sides must hold it or take more than three hundredths of
/// the energy that it gains.
void warn_of_faceted_rolling(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints);

}  // namespace clearance
