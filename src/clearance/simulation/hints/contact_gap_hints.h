// Warnings about gaps of contact that are not small compared to what is to be simulated: prescribed approaches, press
// fits, and bodies that push each other from the start.
#pragma once

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/load/hint.h"
#include "clearance/simulation/start/start_overlap.h"

namespace clearance {

/// Adds warnings named `contact_gap`. Surfaces in contact stay up to dhat apart, which acts like an additional approach
/// of that size. The warnings concern
/// - bodies that start within the distance at which contact begins, for formulations in which each body has one such
///   distance (`convergent`), unless they push each other by no more than their weight;
/// - approaches by prescribed motion, from the gap at the start to the end, of less than seven times that distance;
/// - overlaps that were moved apart (`overlaps`) of less than seven times that distance.
void warn_of_contact_gaps(const SceneDesc& desc, const SceneModel& scene, const std::vector<StartOverlap>& overlaps,
                          NamedHints& hints);

}  // namespace clearance
