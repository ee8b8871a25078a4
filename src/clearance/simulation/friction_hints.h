// Friction coefficients that no pair of materials has.
#pragma once

#include "clearance/simulation/hint.h"

namespace clearance {

/// Coefficients above 10: rubber on rubber has 1 to 2. Only those that the scene uses.
void warn_of_friction(const SceneDesc& desc, Issues& hints);

}  // namespace clearance
