#include "clearance/geometry/winding_number.h"

#include <algorithm>

#include "clearance/math/predicates.h"

namespace clearance {

namespace {

/// Crossing of one facet: +1 out of the solid, -1 into it, 0 none. No value if the segment meets the border of a facet.
using Crossing = std::optional<int>;

Crossing crossing(const Vec<3>& p, const Vec<3>& q, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2) {
  const int start = orient3d(t0, t1, t2, p), end = orient3d(t0, t1, t2, q);
  // Neither end of the segment lies in the triangle, so a segment with an end in its plane does not cross it.
  if (start * end >= 0) return 0;
  const int a = orient3d(p, q, t0, t1), b = orient3d(p, q, t1, t2), c = orient3d(p, q, t2, t0);
  const auto [lowest, highest] = std::minmax({a, b, c});
  if (lowest < 0 && highest > 0) return 0;
  if (a == 0 || b == 0 || c == 0) return std::nullopt;
  return end;
}

Crossing crossing(const Vec<3>& p, const Vec<3>& q, const Vec<3>& e0, const Vec<3>& e1) {
  const Vec<2> p2 = p.head<2>(), q2 = q.head<2>(), a = e0.head<2>(), b = e1.head<2>();
  const int start = orient2d(a, b, p2), end = orient2d(a, b, q2);
  if (start * end >= 0) return 0;
  const int first = orient2d(p2, q2, a), second = orient2d(p2, q2, b);
  if (first * second > 0) return 0;
  if (first == 0 || second == 0) return std::nullopt;
  // The sign is reversed because the area is to the left of the edge.
  return -end;
}

/// Counts the crossings of a segment from `point`. Its other end lies beyond the box of the surface in x, and close to
/// the point in y and z, so that few facets are near the segment.
template <class Facets>
std::optional<int> count_crossings(const Vec<3>& point, const Vertices& vertices, const Facets& facets) {
  BoundingBox box;
  for (const auto& facet : facets) {
    for (const int v : facet) box.extend(vertices[v]);
  }
  if (box.is_empty()) return 0;
  const double length = box.diagonal();
  constexpr int num_attempts = 5;
  for (int attempt = 0; attempt < num_attempts; ++attempt) {
    // Each attempt uses other slopes, which are unlikely in meshes.
    const Vec<3> slope(1.0, 0.00271828 * (attempt + 1), 0.00314159 * (attempt + 1) * (attempt + 1));
    const Vec<3> end(box.max[0] + length, point[1] + length * slope[1], point[2] + length * slope[2]);
    int sum = 0;
    bool is_clear = true;
    for (std::size_t f = 0; f < facets.size() && is_clear; ++f) {
      const auto& facet = facets[f];
      const auto x = [&](std::size_t i) -> const Vec<3>& { return vertices[facet[i]]; };
      // Skip facets that are beside, above, below or before the segment.
      bool is_beside = true, is_above = true, is_before = true, is_below = true;
      for (std::size_t i = 0; i < facet.size(); ++i) {
        is_before = is_before && x(i)[0] < point[0];
        is_below = is_below && x(i)[1] < point[1];
        is_above = is_above && x(i)[1] > end[1];
        is_beside = is_beside && x(i)[2] < point[2];
      }
      if (is_before || is_below || is_above || is_beside) continue;
      Crossing found;
      if constexpr (std::tuple_size_v<std::decay_t<decltype(facet)>> == 3) {
        found = crossing(point, end, x(0), x(1), x(2));
      } else {
        found = crossing(point, end, x(0), x(1));
      }
      is_clear = found.has_value();
      sum += found.value_or(0);
    }
    if (is_clear) return sum;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> winding_number(const Vec<3>& point, const Vertices& vertices, const Triangles& surface) {
  return count_crossings(point, vertices, surface);
}

std::optional<int> winding_number(const Vec<3>& point, const Vertices& vertices, const Edges& outline) {
  return count_crossings(point, vertices, outline);
}

}  // namespace clearance
