// CCD along screws, by two methods. Adaptive linearisation [Fer21, alg. 1] cuts the path into pieces that are straight
// up to a deviation which is small beside the gap, and keeps that deviation free besides the minimum separation.
// Queries that it has not settled after a few dozen pieces go to certificates along turning directions
// (turning_separation.h). Pieces are as short as the root of the gap: at 1e-12 m a body that turns on a table takes
// 100,000 of them, whereas a certificate holds for a quarter of a radian.
//
// Contract: that of ccd/ccd.h, along the path of real arithmetic and for the positions that the unknowns are placed at:
// the distance stays above `min_separation` until the returned time, in floating point, for any input. The margin for
// rounding is proven in model/surface_path.h. Of a gap_fraction the part that exceeds this margin is kept.
//
// Work is bounded: a query that is not settled in the end is `budget_exhausted`, with the time that was certified until
// then.
#pragma once

#include "clearance/ccd/ccd.h"
#include "clearance/contact/contact_frame.h"
#include "clearance/model/surface_path.h"

namespace clearance {

/// Returns the distance [m] of the primitives, without their radii, where their vertices are at `x`.
template <int dim>
double distance(const PrimitivePair& pair, const ContactPositions<dim>& x);

bool is_straight(const SurfacePath& path, const PrimitivePair& pair);

/// Returns a bound [m] of the error of distances that are computed on the path.
template <int dim>
double rounding_on_path(const SurfacePath& path, const PrimitivePair& pair);

/// Runs continuous collision detection of one pair whose vertices move straight from `start` to `stop`.
template <int dim>
CcdResult straight_ccd(const PrimitivePair& pair, const ContactPositions<dim>& start, const ContactPositions<dim>& stop,
                       const CcdOptions& options);

/// Runs continuous collision detection of one pair on any path. The options and the result are those of the functions
/// of ccd.h.
template <int dim>
CcdResult curved_ccd(const SurfacePath& path, const PrimitivePair& pair, const CcdOptions& options);

}  // namespace clearance
