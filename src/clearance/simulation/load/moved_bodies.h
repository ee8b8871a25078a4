// Bodies that start elsewhere than their transforms place them.
#pragma once

#include <string>
#include <vector>

#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Shifts the bodies that the scene's `start.moved` names, and stores how they are bent. Issues: names that no body
/// has, and displacements that do not fit a body's vertices or that invert its elements.
void move_bodies(const SceneDesc& scene, std::vector<BodyInstance>& bodies, Issues& issues);

/// Returns the entry of a body in `start.moved`; adds one if the body has none.
MovedBodyDesc& moved_entry(SceneDesc& scene, const std::string& body);

}  // namespace clearance
