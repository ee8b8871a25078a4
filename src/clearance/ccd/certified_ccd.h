// Certificates of separation: time advances by certified steps (after additive CCD, M. Li, D. Kaufman, C. Jiang,
// "Codimensional IPC", 2021).
//
// The original step is (distance - gap) / l with l the largest relative displacement. Here a step comes from a
// direction n along which the primitives are separated at the current time: all s_k(t) = n . r_k(t) are linear in t,
// and while they exceed the gap, so does the distance. As |ds_k/dt| <= l, the step is never shorter than the original
// one, tangential motion does not shorten it, and near an impact the steps converge like Newton's method. The original
// first subtracts the mean motion; the relative motion has none.
//
// Rigor: for whatever n rounding produced, s_k is a linear function whose error at t0 and t1 is bounded by a few ulps
// of the corners; it is subtracted. The intervals of the certificates cover [0, toi] without a hole.
#pragma once

#include "clearance/ccd/ccd_options.h"
#include "clearance/ccd/ccd_result.h"
#include "clearance/ccd/relative_motion.h"

namespace clearance {

/// Facts known before any search: the gap to keep and a first interval that is free of impacts.
struct CcdStart {
  double distance = 0.0;  ///< certified lower bound of the distance at t0 [m]
  double separation =
      0.0;  ///< the distance that counts as impact: min_separation plus gap_fraction of the gap at t0 [m]
  double safe_time = 0.0;  ///< the distance exceeds `separation` on [0, safe_time]; 0 if not even at t0; may exceed 1
};

template <int dim, int num_corners>
CcdStart find_ccd_start(const RelativeMotion<dim, num_corners>& motion, const CcdOptions& options);

template <int dim, int num_corners>
CcdResult certified_ccd(const RelativeMotion<dim, num_corners>& motion, const CcdOptions& options);

}  // namespace clearance
