// Warnings about press fits of polygons and polyhedra whose sides do not match.
#pragma once

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/load/hint.h"
#include "clearance/simulation/start/start_overlap.h"

namespace clearance {

/// Adds a warning named `faceted_fit` for overlaps that were moved apart of two round bodies whose sides deviate from
/// the round shape by more than a fourteenth of the overlap. The overlap then varies along the sides. Bodies whose
/// vertices face each other do not count: theirs is even.
void warn_of_faceted_fits(const SceneModel& scene, const std::vector<StartOverlap>& overlaps, NamedHints& hints);

}  // namespace clearance
