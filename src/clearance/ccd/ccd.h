// Continuous collision detection of two primitives whose vertices move on straight lines from t0 to t1.
//
// Contract: the returned time of impact is never later than the true first time at which the distance of the primitives
// reaches `min_separation`, and it is never zero when they start farther apart than that by more than the
// floating-point error of computing the distance. In floating point, on any input.
#pragma once

#include <span>

#include "clearance/ccd/ccd_options.h"
#include "clearance/ccd/ccd_result.h"
#include "clearance/ccd/query.h"

namespace clearance {

CcdResult point_triangle_ccd(const PrimitiveMotion<3, 4>& motion, const CcdOptions& options);
CcdResult edge_edge_ccd(const PrimitiveMotion<3, 4>& motion, const CcdOptions& options);
template <int dim>
CcdResult point_edge_ccd(const PrimitiveMotion<dim, 3>& motion, const CcdOptions& options);
template <int dim>
CcdResult point_point_ccd(const PrimitiveMotion<dim, 2>& motion, const CcdOptions& options);

CcdResult find_impact(const CcdQuery& query, const CcdOptions& options);

/// results[i] answers queries[i] as find_impact does; both spans have the same length. Works on all threads; any number
/// of them gives the same bits.
void find_impacts(std::span<const CcdQuery> queries, const CcdOptions& options, std::span<CcdResult> results);

}  // namespace clearance
