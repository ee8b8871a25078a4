#include "clearance/ccd/ccd.h"

#include <algorithm>

#include "clearance/base/parallel.h"
#include "clearance/ccd/certified_ccd.h"
#include "clearance/ccd/exact_ccd.h"
#include "clearance/ccd/exact_filter.h"
#include "clearance/ccd/quick_separation.h"
#include "clearance/ccd/relative_motion.h"
#include "clearance/ccd/tight_inclusion.h"
#include "clearance/ccd/touching.h"

namespace clearance {
namespace {

/// F of a point against a point, an edge or a triangle, from the corners p - x_k: the edges of the second primitive at
/// their own accuracy.
template <int dim, int num_vertices>
InclusionFunction<dim> point_function(const PrimitiveMotion<dim, num_vertices>& m) {
  InclusionFunction<dim> f;
  f.p = {m.t0[0] - m.t0[1], m.t1[0] - m.t1[1]};
  if constexpr (num_vertices >= 3) f.a = {m.t0[1] - m.t0[2], m.t1[1] - m.t1[2]};
  if constexpr (num_vertices >= 4) f.b = {m.t0[1] - m.t0[3], m.t1[1] - m.t1[3]};
  f.num_parameters = num_vertices - 2;
  f.is_triangle = num_vertices == 4;
  return f;
}

InclusionFunction<3> edge_edge_function(const PrimitiveMotion<3, 4>& m) {
  InclusionFunction<3> f;
  f.p = {m.t0[0] - m.t0[2], m.t1[0] - m.t1[2]};
  f.a = {m.t0[1] - m.t0[0], m.t1[1] - m.t1[0]};
  f.b = {m.t0[2] - m.t0[3], m.t1[2] - m.t1[3]};
  f.num_parameters = 2;
  return f;
}

template <int dim, int num_corners>
CcdResult bounded_tight_inclusion(const RelativeMotion<dim, num_corners>& motion,
                                  const InclusionFunction<dim>& function, const CcdOptions& options) {
  // One certificate settles most pairs, and gives the others a time that is not zero.
  const CcdStart start = find_ccd_start(motion, options);
  if (!(start.safe_time > 0.0)) return {CcdStatus::impact, 0.0};
  if (start.safe_time >= options.max_time) return {CcdStatus::no_impact, options.max_time};
  InclusionSearch search;
  search.separation = start.separation;
  search.min_time = start.safe_time;
  search.max_time = options.max_time;
  search.max_iterations = options.max_iterations;
  // A box of the tolerance's size must not hide the gap between the start and the target. With a gap_fraction the
  // target is a choice: a hundredth of the way is near enough, and a cube against a nearly parallel face has many finer
  // boxes.
  const double way = start.distance - start.separation;
  search.tolerance = options.gap_fraction > 0.0 ? 0.01 * way : std::min(options.tolerance, 0.5 * way);
  const CcdResult result = tight_inclusion_ccd(function, search);
  if (result.status != CcdStatus::budget_exhausted) return result;
  // The primitives are nearly parallel. Both methods bound the impact from below, so the later bound holds too.
  const CcdResult other = certified_ccd(motion, options);
  return other.toi > result.toi || other.status == CcdStatus::no_impact ? other : result;
}

/// Returns the same pair as a point and a triangle in space; the triangle may be an edge or a point, and the motion may
/// lie in a plane.
template <int dim, int num_vertices>
CcdQuery point_query(const PrimitiveMotion<dim, num_vertices>& motion) {
  CcdQuery query{QueryKind::point_triangle, {}};
  for (int k = 0; k < 4; ++k) {
    const int vertex = std::min(k, num_vertices - 1);
    query.motion.t0[k] = query.motion.t1[k] = Vec<3>::Zero();
    query.motion.t0[k].template head<dim>() = motion.t0[vertex];
    query.motion.t1[k].template head<dim>() = motion.t1[vertex];
  }
  return query;
}

/// True if the pair is certainly within min_separation at t or somewhat later. At t = 0 it tests t alone, since zero
/// may be the answer of a pair that is apart at t0.
bool is_soon_within(const CcdQuery& query, const CcdOptions& options, double t) {
  if (options.min_separation == 0.0) return false;
  if (t == 0.0) return is_certainly_within(query, options.min_separation, 0.0);
  for (const double later : {0x1p-30, 0x1p-20, 0x1p-10, 0x1p-4, 1.0}) {
    const double time = std::min(t + later, options.max_time);
    if (is_certainly_within(query, options.min_separation, time)) return true;
  }
  return false;
}

/// Decides a query that certificates leave open. The maximum norm is the smaller one: primitives that are apart in it
/// are apart in the Euclidean norm too.
CcdResult decide_exactly(const CcdQuery& query, const CcdOptions& options, const CcdResult& open) {
  if (!is_finite(query)) return open;
  // Most contacts are proven without exact roots: at t0, when the primitives pass each other, at t1.
  if (open.toi == 0.0 && find_touching(query, false) == Touching::yes) return {CcdStatus::impact, 0.0, true};
  if (open.toi > 0.0 && options.max_time == 1.0 &&
      (is_certainly_touching(query, open.toi) || find_touching(query, true) == Touching::yes)) {
    return {CcdStatus::impact, open.toi, true};
  }
  const bool is_same_norm = options.norm == CcdNorm::maximum || options.min_separation == 0.0;
  if (is_same_norm && is_soon_within(query, options, open.toi)) return {CcdStatus::impact, open.toi, true};
  std::optional<ExactTime> contact = find_first_contact(query, options.min_separation, open.toi);
  if (!contact || contact->is_after(options.max_time)) return {CcdStatus::no_impact, options.max_time, true};
  if (!is_same_norm) return open;
  return {CcdStatus::impact, std::max(open.toi, contact->round_down()), true};
}

/// The stages of the method `clearance`, each for what the one before has left open: a few directions at once,
/// certificates along the best directions, exact arithmetic. `to_query` makes the pair one of space.
template <int dim, int num_corners, class ToQuery>
CcdResult staged_ccd(const RelativeMotion<dim, num_corners>& relative, const CcdOptions& options,
                     const ToQuery& to_query) {
  const CcdResult result = certified_ccd(relative, options);
  const bool is_open = options.is_exact && options.gap_fraction == 0.0 && !result.is_certain;
  return is_open ? decide_exactly(to_query(), options, result) : result;
}

/// The first stage: true if a few directions prove that the pair stays apart. It does not know the gap at t0, which a
/// gap_fraction needs.
bool stays_apart(QueryKind kind, const PrimitiveMotion<3, 4>& motion, const CcdOptions& options) {
  if (options.method != CcdMethod::clearance || options.gap_fraction > 0.0) return false;
  // The cube of the maximum norm is inside the ball around it.
  const double factor = options.norm == CcdNorm::maximum ? ball_around_cube : 1.0;
  return stays_apart(kind, motion, factor * options.min_separation);
}

template <int dim, int num_vertices>
CcdResult point_ccd(const PrimitiveMotion<dim, num_vertices>& motion, const CcdOptions& options) {
  const RelativeMotion<dim, num_vertices - 1> relative{point_corners<dim, num_vertices>(motion.t0),
                                                       point_corners<dim, num_vertices>(motion.t1)};
  if (options.method == CcdMethod::tight_inclusion) {
    return bounded_tight_inclusion(relative, point_function(motion), options);
  }
  return staged_ccd(relative, options, [&] { return point_query(motion); });
}

}  // namespace

CcdResult point_triangle_ccd(const PrimitiveMotion<3, 4>& motion, const CcdOptions& options) {
  if (stays_apart(QueryKind::point_triangle, motion, options)) return {CcdStatus::no_impact, options.max_time, true};
  return point_ccd(motion, options);
}

CcdResult edge_edge_ccd(const PrimitiveMotion<3, 4>& motion, const CcdOptions& options) {
  if (stays_apart(QueryKind::edge_edge, motion, options)) return {CcdStatus::no_impact, options.max_time, true};
  const RelativeMotion<3, 4> relative{edge_edge_corners(motion.t0), edge_edge_corners(motion.t1)};
  if (options.method == CcdMethod::tight_inclusion) {
    return bounded_tight_inclusion(relative, edge_edge_function(motion), options);
  }
  return staged_ccd(relative, options, [&] { return CcdQuery{QueryKind::edge_edge, motion}; });
}

template <int dim>
CcdResult point_edge_ccd(const PrimitiveMotion<dim, 3>& motion, const CcdOptions& options) {
  return point_ccd(motion, options);
}

template <int dim>
CcdResult point_point_ccd(const PrimitiveMotion<dim, 2>& motion, const CcdOptions& options) {
  return point_ccd(motion, options);
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

template CcdResult point_edge_ccd<2>(const PrimitiveMotion<2, 3>&, const CcdOptions&);
template CcdResult point_edge_ccd<3>(const PrimitiveMotion<3, 3>&, const CcdOptions&);
template CcdResult point_point_ccd<2>(const PrimitiveMotion<2, 2>&, const CcdOptions&);
template CcdResult point_point_ccd<3>(const PrimitiveMotion<3, 2>&, const CcdOptions&);

}  // namespace clearance
