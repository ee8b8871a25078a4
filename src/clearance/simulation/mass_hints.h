// Where the mass of a stiff body comes from something else than its user probably thinks.
#pragma once

#include "clearance/simulation/hint.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// Surfaces and outlines that are nearly closed, and weigh as sheets and wires; a `thickness` that nothing uses.
void warn_of_doubtful_masses(const SceneDesc& desc, const SceneModel& scene, Issues& hints);

}  // namespace clearance
