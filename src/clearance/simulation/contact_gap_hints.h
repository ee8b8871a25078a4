// Where the gaps that contact keeps are not small beside what is to be simulated: prescribed approaches, press fits,
// and bodies that push each other from the start.
#pragma once

#include "clearance/simulation/hint.h"
#include "clearance/simulation/scene_model.h"
#include "clearance/simulation/separation.h"

namespace clearance {

/// `contact_gap`: surfaces in contact stay up to dhat apart, which acts like as much more approach. Told are
/// - bodies that start within the distance at which contact begins where that is one for a body (`convergent`), unless
///   what they push with is their weight;
/// - approaches by prescribed motion, from the gap at the start to the end, of less than seven times that distance;
/// - overlaps that were moved apart (`overlaps`) of less than seven times that distance.
void warn_of_contact_gaps(const SceneDesc& desc, const SceneModel& scene,
                          const std::vector<Separation::Overlap>& overlaps, NamedHints& hints);

}  // namespace clearance
