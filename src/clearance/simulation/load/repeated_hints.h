// Warnings about elements that a mesh has more than once and that count once.
#pragma once

#include "clearance/geometry/repeated_elements.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

/// Warns of repeated elements and names the first of them. `merged` belongs to a mesh of dimension `dim`, as its file
/// or the scene has it; `owner` is what has the mesh, for example `body 'a'`.
void warn_of_repeated_elements(const std::string& place, const std::string& owner, int dim,
                               const MergedElements& merged, Issues& hints);

}  // namespace clearance
