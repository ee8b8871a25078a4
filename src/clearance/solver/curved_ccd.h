// CCD along screws by adaptive linearisation [Fer21, alg. 1]: the path is cut into pieces that are straight
// up to a deviation which is small beside the gap, and that deviation is kept free besides the minimum separation.
#pragma once

#include <array>

#include "clearance/ccd/ccd.h"
#include "clearance/model/surface_path.h"

namespace clearance {

/// The vertices of two primitives, dim + 1, of which the first `num_first` make the first primitive. In the plane it is
/// a point and an edge.
struct MovingPair {
  std::array<int, 4> vertices{};
  int num_first = 1;  ///< 1: point and triangle; 2: two edges
};

template <int dim>
bool is_straight(const SurfacePath& path, const MovingPair& pair);

/// As point_triangle_ccd and edge_edge_ccd, in the plane as point_edge_ccd, for any path.
template <int dim>
CcdResult curved_ccd(const SurfacePath& path, const MovingPair& pair, const CcdOptions& options);

}  // namespace clearance
