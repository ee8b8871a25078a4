// Bodies that start elsewhere than their transforms say.
#pragma once

#include <string>
#include <vector>

#include "clearance/simulation/body_instance.h"

namespace clearance {

/// Shifts the bodies that the scene's `start.moved` names, and notes how they are bent. Issues: names that no body has,
/// displacements that do not fit its vertices or invert its elements.
void move_bodies(const SceneDesc& scene, std::vector<BodyInstance>& bodies, Issues& issues);

/// The entry of a body in `start.moved`; a new one if it has none.
MovedBodyDesc& moved_entry(SceneDesc& scene, const std::string& body);

}  // namespace clearance
