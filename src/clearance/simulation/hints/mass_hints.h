// Warnings about stiff bodies whose mass probably does not come from what the user thinks.
#pragma once

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

/// Warns of surfaces and outlines that are nearly closed and have the mass of sheets and wires, of closed parts inside
/// the solid of others, and of a `thickness` that nothing uses.
void warn_of_doubtful_masses(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints);

}  // namespace clearance
