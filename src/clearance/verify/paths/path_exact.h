// Decides in integers whether two primitives stay apart, for `clearance verify --paths`.
//
// All positions at a time are multiples of a power of two. A direction that is a polynomial of time separates a pair if
// the coefficients of polynomials are positive: of the distances along it, and of their squares less the squared gap.
#pragma once

#include "clearance/verify/paths/path_pair.h"

namespace clearance::verify {

/// Decides about the part of the ways from time `from` to time `to`, where doubles could not. The primitives have four
/// corners together, of which `num_first` belong to the first. `bend` [m] is the sum of PathPoint::bend of both. Gives
/// up after `num_left` halvings, and counts them down.
PairVerdict decide_pair_exactly(const PathPoints& points, Corners corners, std::size_t num_first, double gap,
                                double bend, double from, double to, int& num_left);

}  // namespace clearance::verify
