// Moves what potentials remember to the points of new elements.
#pragma once

#include "clearance/model/model.h"

namespace clearance {

/// Returns the history on the elements of `to`. Every point takes the numbers of the nearest old point of its body, by
/// distance at rest: numbers are never mixed, so that what a material remembers stays a state that it has reached. The
/// two models have the same potentials in the same order.
History move_history(const Model& from, const History& before, const Model& to);

}  // namespace clearance
