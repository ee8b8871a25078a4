// The methods of the table in methods.h, one function and one file each.
//
// They are written from the descriptions in [Fer23, sec. 3.2, 3.4.2, 3.5, 3.6, app. E] with the strengths and the known
// failures it reports; what a description leaves open is said in the file. Methods that measure Euclidean distances are
// asked for euclidean_separation(), so that the difference of the norms costs false positives, never a hit.
#pragma once

#include "clearance/ccd/methods/ccd_answer.h"
#include "clearance/ccd/query.h"
#include "clearance/ccd/relative_motion.h"

namespace clearance {

/// The smallest ball that holds the cube |F|_inf <= min_separation. [m]
inline double euclidean_separation(const CcdMethodOptions& options) {
  return ball_around_cube * options.min_separation;
}

// --- bisection of (t, u, v): conservative ---
CcdAnswer decide_by_tight_inclusion(const CcdQuery& query, const CcdMethodOptions& options);
CcdAnswer decide_by_tight_inclusion_depth_first(const CcdQuery& query, const CcdMethodOptions& options);
CcdAnswer decide_by_multivariate_interval(const CcdQuery& query, const CcdMethodOptions& options);

// --- roots of the coplanarity cubic [Fer23, eq. 3.3] ---
CcdAnswer decide_by_univariate_interval(const CcdQuery& query, const CcdMethodOptions& options);  ///< conservative
CcdAnswer decide_by_floating_point_roots(const CcdQuery& query, const CcdMethodOptions& options);
CcdAnswer decide_by_minimum_separation_roots(const CcdQuery& query, const CcdMethodOptions& options);
CcdAnswer decide_by_tight_ccd(const CcdQuery& query, const CcdMethodOptions& options);  ///< conservative
CcdAnswer decide_by_bernstein_signs(const CcdQuery& query, const CcdMethodOptions& options);

// --- parity of the number of roots of F ---
CcdAnswer decide_by_floating_point_parity(const CcdQuery& query, const CcdMethodOptions& options);
CcdAnswer decide_by_rational_parity(const CcdQuery& query, const CcdMethodOptions& options);

// --- advancing by the distance ---
CcdAnswer decide_by_additive_ccd(const CcdQuery& query, const CcdMethodOptions& options);

}  // namespace clearance
