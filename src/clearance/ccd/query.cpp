#include "clearance/ccd/query.h"

#include <algorithm>

#include "clearance/base/parallel.h"

namespace clearance {

bool is_finite(const CcdQuery& query) {
  const auto is_finite_vertex = [](const Vec<3>& x) { return x.allFinite(); };
  return std::all_of(query.motion.t0.begin(), query.motion.t0.end(), is_finite_vertex) &&
         std::all_of(query.motion.t1.begin(), query.motion.t1.end(), is_finite_vertex);
}

CcdResult find_impact(const CcdQuery& query, const CcdOptions& options) {
  return query.kind == QueryKind::point_triangle ? point_triangle_ccd(query.motion, options)
                                                 : edge_edge_ccd(query.motion, options);
}

void find_impacts(std::span<const CcdQuery> queries, const CcdOptions& options, std::span<CcdResult> results) {
  parallel_for(static_cast<int>(queries.size()), 64, [&](int i) {
    const std::size_t at = i;
    results[at] = find_impact(queries[at], options);
  });
}

}  // namespace clearance
