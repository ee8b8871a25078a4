// Loads the bodies of a scene: from each mesh of a file or a generator to bodies that are placed and checked.
#pragma once

#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

struct LoadedBodies {
  std::vector<BodyInstance> instances;
  Issues warnings;
};

/// Loads or generates all meshes and applies the transforms. Issues name the body, its mesh and the elements at fault:
/// an unreadable mesh, no elements, elements that are inverted, flat or overlapping, a surface with holes.
Result<LoadedBodies> load_bodies(const SceneDesc& scene);

}  // namespace clearance
