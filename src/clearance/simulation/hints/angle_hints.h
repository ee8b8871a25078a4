// Warnings about angles that look like radians.
#pragma once

#include "clearance/scene/scene.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

/// Warns of rotations of bodies, and of limits of hinges, that are whole parts of pi, such as 1.5708: angles are in
/// degrees.
void warn_of_radians(const SceneDesc& desc, NamedHints& hints);

}  // namespace clearance
