#include "clearance/ccd/query.h"

#include <algorithm>

namespace clearance {

bool is_finite(const CcdQuery& query) {
  const auto is_finite_vertex = [](const Vec<3>& x) { return x.allFinite(); };
  return std::all_of(query.motion.t0.begin(), query.motion.t0.end(), is_finite_vertex) &&
         std::all_of(query.motion.t1.begin(), query.motion.t1.end(), is_finite_vertex);
}

}  // namespace clearance
