// Bodies that start inside of other ones: no surfaces meet, so that nothing else tells it.
#pragma once

#include "clearance/simulation/body_surfaces.h"
#include "clearance/simulation/hint.h"

namespace clearance {

/// Bodies that may touch the one around them, if that is solid: made of elements, or a closed surface (an obstacle's
/// that points inwards is a container). Exact, as long as no surfaces meet.
void warn_of_enclosed_bodies(const SceneDesc& desc, const SceneModel& scene, const BodySurfaces& surfaces,
                             Issues& hints);

}  // namespace clearance
