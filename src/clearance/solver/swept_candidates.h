// Candidates of a path with a bound of how each pair approaches: made once a Newton iteration, used by CCD and
// by every trial of the line search.
#pragma once

#include <functional>
#include <vector>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/ccd/query.h"
#include "clearance/contact/contact_set.h"
#include "clearance/model/surface_path.h"

namespace clearance {

/// At the fraction t of the path the surfaces of pair k are at least distance[k] - t * motion[k] apart, up to rounding.
struct SweptCandidates {
  Candidates pairs;
  // The next members have one number per pair, in the order of Candidates.
  std::vector<double> distance;  ///< [m] at the start, less the radii of the pair; 0 where rounding hides it
  std::vector<double> motion;    ///< [m] not negative
};

/// Returns the vertices p, t0, t1, t2 or ea0, ea1, eb0, eb1 of candidate k; or p, e0, e1, -1 or p, q, -1, -1.
std::array<int, 4> vertices_of(const SurfaceTopology& surface, const Candidates& candidates, std::size_t k);
PrimitivePair pair_of(const SurfaceTopology& surface, const Candidates& candidates, std::size_t k);
/// Returns the motion of the first `count` of these vertices.
template <int dim, std::size_t count>
PrimitiveMotion<dim, count> motion_of(const SurfacePath& path, const std::array<int, 4>& vertices);

template <int dim>
SweptCandidates measure_candidates(const SurfaceTopology& surface, const SurfacePath& path, Candidates candidates);

/// Visits, in 3D, the pairs whose vertices all move on straight lines, in order.
void for_each_straight_query(const SurfaceTopology& surface, const SurfacePath& path, const Candidates& candidates,
                             const std::function<void(const CcdQuery&)>& visit);

/// Returns the pairs that can be closer than `activation` [m] somewhere on the first `alpha` of the path.
Candidates reachable_candidates(const SweptCandidates& candidates, double alpha, double activation);

}  // namespace clearance
