#include "clearance/ccd/touching.h"

#include <algorithm>
#include <cmath>

#include "clearance/geometry/intersection.h"

namespace clearance {
namespace {

bool is_in_range(const Vec<3>& vertex) {
  return std::all_of(vertex.begin(), vertex.end(), [](double x) {
    const double magnitude = std::abs(x);
    return x == 0.0 || (magnitude >= 0x1p-300 && magnitude <= 0x1p300);
  });
}

}  // namespace

Touching find_touching(const CcdQuery& query, bool is_end) {
  const std::array<Vec<3>, 4>& v = is_end ? query.motion.t1 : query.motion.t0;
  if (!std::all_of(v.begin(), v.end(), is_in_range)) return Touching::unknown;
  const bool is_touching = query.kind == QueryKind::point_triangle
                               ? edge_intersects_triangle(v[0], v[0], v[1], v[2], v[3])
                               : edges_intersect(v[0], v[1], v[2], v[3]);
  return is_touching ? Touching::yes : Touching::no;
}

}  // namespace clearance
