// Decides in rational numbers whether two primitives stay apart, for `clearance verify --paths`.
#pragma once

#include "clearance/verify/paths/path_pair.h"

namespace clearance::verify {

/// Decides about the part of the ways from time `from` to time `to`, where doubles could not. The primitives have four
/// corners together, of which `num_first` belong to the first. `bend` [m] is the sum of PathPoint::bend of both.
PairVerdict decide_pair_exactly(const PathPoints& points, Corners corners, std::size_t num_first, double gap,
                                double bend, double from, double to);

}  // namespace clearance::verify
