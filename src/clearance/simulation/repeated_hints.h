// Elements that a mesh has more than once and that count once: told, with the first of them.
#pragma once

#include "clearance/geometry/repeated_elements.h"
#include "clearance/simulation/hint.h"

namespace clearance {

/// `merged`: of a mesh of this dimension as its file or the scene has it; `owner`: what has it, as `body 'a'`.
void warn_of_repeated_elements(const std::string& place, const std::string& owner, int dim,
                               const MergedElements& merged, Issues& hints);

}  // namespace clearance
