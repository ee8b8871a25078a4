// Warnings about bodies that start inside other ones. No surfaces meet there, so that no other check finds them.
#pragma once

#include "clearance/simulation/load/hint.h"
#include "clearance/simulation/start/body_surfaces.h"

namespace clearance {

/// Warns of bodies inside a body that they may touch, if that one is solid: it is made of elements or has a closed
/// surface. (An obstacle whose surface points inwards is a container.) The test is exact as long as no surfaces meet.
void warn_of_enclosed_bodies(const SceneDesc& desc, const SceneModel& scene, const BodySurfaces& surfaces,
                             NamedHints& hints);

}  // namespace clearance
