// Proves that elements keep a positive volume on the ways of their corners, for `clearance verify --paths`.
#pragma once

#include "clearance/verify/paths/path_pair.h"

namespace clearance::verify {

/// Proves that the volume of a tetrahedron, or the area of a triangle in the plane, is positive all the way. It is a
/// polynomial in time, which is positive if its coefficients in Bernstein's basis are; in doubles with their errors,
/// then in rational numbers, on halves of the way and halves of these.
PairVerdict check_volume(const PathPoints& points, Corners corners);

/// Proves the same of the map of a stiff body whose columns move straight from `t0` to `t1`, `dim` numbers each.
PairVerdict check_map(int dim, const double* t0, const double* t1);

}  // namespace clearance::verify
