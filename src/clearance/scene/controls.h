// Numbers of a scene that its formulas use by their names, and that programs set between steps.
#pragma once

#include <string>
#include <vector>

#include "clearance/math/types.h"
#include "clearance/scene/scene.h"

namespace clearance {

struct Controls {
  std::vector<std::string> names;
  std::vector<double> values;
  VecX applied;  ///< [N] forces of the step on the unknowns (SceneDesc::applied_forces); empty: none
};

/// Returns the controls with valid names, with their values at the start.
Controls controls_of(const SceneDesc& scene);

}  // namespace clearance
