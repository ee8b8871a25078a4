// Obstacles that other bodies start inside of.
#pragma once

#include <optional>

#include "clearance/simulation/build/solid.h"
#include "clearance/simulation/start/body_surfaces.h"

namespace clearance {

/// Returns true if the outer body is a container of the inner one: a larger obstacle that the inner body starts inside
/// of, with its middle and most of its vertices. Such a body is meant to be there. `inside` is that of the outer body
/// (Solid::inside_of).
bool is_container(const SceneModel& scene, const BodySurfaces& surfaces, const std::optional<Solid>& inside, int outer,
                  int inner);

}  // namespace clearance
