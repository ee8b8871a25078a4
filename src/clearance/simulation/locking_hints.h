// Deformable bodies whose linear elements are too stiff for what they are to show.
#pragma once

#include "clearance/simulation/body_surfaces.h"
#include "clearance/simulation/hint.h"

namespace clearance {

/// `coarse_elements`: one element through the thickness of a slender body, elements that are long along it, Poisson's
/// ratios above 0.45, and slender bodies that are held and loaded so that they bend, and do so by a tenth too little.
/// Factors are those of cantilevers of the generated boxes. Elements that are split where that pays
/// (`remesh`) are not counted.
void warn_of_locking(const SceneDesc& desc, const SceneModel& scene, const BodySurfaces& surfaces, NamedHints& hints);

}  // namespace clearance
