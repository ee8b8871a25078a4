// Additive CCD as first published [Li21]:
// advance by the distance over the largest relative displacement, after subtracting the mean motion, until a tenth of
// the gap at t0 is left.
#include <algorithm>
#include <cmath>

#include "clearance/ccd/methods/deciders.h"
#include "clearance/geometry/distance.h"

namespace clearance {
namespace {

constexpr double scale = 0.9;  ///< of each step; the rest of the gap at t0 counts as impact

double distance_sq(QueryKind kind, const std::array<Vec<3>, 4>& x) {
  return kind == QueryKind::point_triangle ? point_triangle_distance_sq(x[0], x[1], x[2], x[3])
                                           : edge_edge_distance_sq(x[0], x[1], x[2], x[3]);
}

/// Returns the sum of the largest displacements of the two primitives.
double relative_displacement(QueryKind kind, const std::array<Vec<3>, 4>& step) {
  const double l0 = step[0].norm(), l1 = step[1].norm(), l2 = step[2].norm(), l3 = step[3].norm();
  if (kind == QueryKind::point_triangle) return l0 + std::max({l1, l2, l3});
  return std::max(l0, l1) + std::max(l2, l3);
}

}  // namespace

CcdAnswer decide_by_additive_ccd(const CcdQuery& query, const CcdMethodOptions& options) {
  const double separation = euclidean_separation(options);
  // This is the distance minus the separation without a subtraction of roots.
  const auto gap_of = [&](const std::array<Vec<3>, 4>& x) {
    const double sq = distance_sq(query.kind, x);
    return (sq - separation * separation) / (std::sqrt(sq) + separation);
  };
  std::array<Vec<3>, 4> x = query.motion.t0, step;
  for (int i = 0; i < 4; ++i) step[i] = query.motion.t1[i] - query.motion.t0[i];
  const Vec<3> mean = 0.25 * ((step[0] + step[1]) + (step[2] + step[3]));
  for (Vec<3>& s : step) s -= mean;

  const double gap_t0 = gap_of(x), displacement = relative_displacement(query.kind, step);
  if (!(gap_t0 > 0.0 && displacement < infinity)) return {true, 0.0};
  if (displacement == 0.0) return {};

  double t = 0.0;
  double advance = scale * gap_t0 / displacement;
  for (int i = 0; i < options.max_iterations; ++i) {
    if (t + advance > 1.0) return {};
    for (int k = 0; k < 4; ++k) x[k] = query.motion.t0[k] + (t + advance) * step[k];
    const double gap = gap_of(x);
    // The first advance is always taken: a pair that is apart has a time above zero.
    if (t > 0.0 && !(gap >= (1.0 - scale) * gap_t0)) return {true, t};
    t += advance;
    advance = scale * gap / displacement;
  }
  return {true, t};
}

}  // namespace clearance
