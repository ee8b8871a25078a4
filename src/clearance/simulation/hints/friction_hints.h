// Warnings about friction coefficients that no pair of materials has.
#pragma once

#include "clearance/simulation/load/hint.h"

namespace clearance {

/// Warns of coefficients above 10; rubber on rubber has 1 to 2. Considers only those that the scene uses.
void warn_of_friction(const SceneDesc& desc, NamedHints& hints);

}  // namespace clearance
