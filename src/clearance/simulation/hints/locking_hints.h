// Warnings about deformable bodies whose linear elements are too stiff for what they are to show.
#pragma once

#include "clearance/simulation/load/hint.h"
#include "clearance/simulation/start/body_surfaces.h"

namespace clearance {

/// Adds warnings named `coarse_elements`. In quasi-static scenes one linear solve estimates the error of the bodies
/// that strain under the loads, where that is cheap and nothing can touch. All other bodies are judged by their shape,
/// in four cases: one element through the thickness of a slender body; elements that are long along the body; Poisson's
/// ratios above 0.45; and slender bodies that are held and loaded so that they bend, and that bend a tenth too little.
/// Factors are those of cantilevers of the generated boxes. Bodies whose elements are split where that pays (`remesh`)
/// are not counted.
void warn_of_locking(const SceneDesc& desc, const SceneModel& scene, const BodySurfaces& surfaces, NamedHints& hints);

}  // namespace clearance
