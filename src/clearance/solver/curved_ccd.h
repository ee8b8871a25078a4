// CCD along screws by adaptive linearisation [Fer21, alg. 1]: the path is cut into pieces that are straight
// up to a deviation which is small beside the gap, and that deviation is kept free besides the minimum separation.
#pragma once

#include "clearance/ccd/ccd.h"
#include "clearance/contact/contact_set.h"
#include "clearance/model/surface_path.h"

namespace clearance {

template <int dim>
bool is_straight(const SurfacePath& path, const PrimitivePair& pair);

/// As point_triangle_ccd and edge_edge_ccd, in the plane as point_edge_ccd, for any path.
template <int dim>
CcdResult curved_ccd(const SurfacePath& path, const PrimitivePair& pair, const CcdOptions& options);

}  // namespace clearance
