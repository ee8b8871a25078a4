#include "clearance/solver/swept_candidates.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "clearance/base/parallel.h"
#include "clearance/ccd/approach.h"
#include "clearance/geometry/distance.h"
#include "clearance/solver/curved_ccd.h"

namespace clearance {

namespace {

using Pair = std::array<int, 2>;

/// Start and end positions of a vertex in one cache line, each ready for a vector register.
struct alignas(64) VertexMotion {
  std::array<double, 4> t0, t1;
};
using VertexMotions = std::unique_ptr<VertexMotion[]>;

/// Returns the motions of all vertices that occur in the pairs; others are undefined.
VertexMotions vertex_motions(const SurfaceTopology& surface, const SurfacePath& path, const Candidates& pairs) {
  const int num_vertices = static_cast<int>(path.x_t0.size() / 3), num_pairs = static_cast<int>(pairs.size());
  VertexMotions motions(new VertexMotion[num_vertices]);
  const auto set = [&](int v) {
    VertexMotion& motion = motions[v];
    for (std::size_t c = 0; c < 3; ++c) {
      motion.t0[c] = path.x_t0[3 * v + static_cast<int>(c)];
      motion.t1[c] = path.x_t1[3 * v + static_cast<int>(c)];
    }
    motion.t0[3] = motion.t1[3] = 0.0;
  };
  // A few pairs need a few vertices: a robot of 19,476 vertices that is in flight has none.
  if (4 * num_pairs < num_vertices) {
    for (int k = 0; k < num_pairs; ++k) {
      for (const int v : vertices_of(surface, pairs, k)) {
        if (v >= 0) set(v);
      }
    }
  } else {
    parallel_for(num_vertices, 4096, set);
  }
  return motions;
}

using LanePoint = SmallVector<Lanes, 3>;

/// Loads four points, one per lane.
CLEARANCE_INLINE LanePoint transpose(const std::array<const double*, num_lanes>& points) {
  Lanes rows[num_lanes];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < num_lanes; ++i) __builtin_memcpy(&rows[i], points[i], sizeof(rows[i]));
  LanePoint result;
  transpose(rows, result[0], result[1], result[2]);
  return result;
}

/// Vertices of four pairs, as [vertex][pair].
using LaneMotions = std::array<std::array<const VertexMotion*, num_lanes>, 4>;

CLEARANCE_INLINE LanePoint points_at(const LaneMotions& motions, std::size_t vertex, bool is_end) {
  std::array<const double*, num_lanes> points;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < num_lanes; ++i) {
    points[i] = is_end ? motions[vertex][i]->t1.data() : motions[vertex][i]->t0.data();
  }
  return transpose(points);
}

Approach<Lanes> point_triangle_approach(const LaneMotions& motions) {
  LanePoint corners[2][3];
#pragma GCC unroll 2
  for (std::size_t end = 0; end < 2; ++end) {
    const LanePoint p = points_at(motions, 0, end == 1);
#pragma GCC unroll 3
    for (std::size_t k = 0; k < 3; ++k) corners[end][k] = detail::difference(p, points_at(motions, k + 1, end == 1));
  }
  return bound_approach(corners[0], corners[1]);
}

Approach<Lanes> edge_edge_approach(const LaneMotions& motions) {
  LanePoint corners[2][4];
#pragma GCC unroll 2
  for (std::size_t end = 0; end < 2; ++end) {
    const LanePoint a0 = points_at(motions, 0, end == 1), a1 = points_at(motions, 1, end == 1);
    const LanePoint b0 = points_at(motions, 2, end == 1), b1 = points_at(motions, 3, end == 1);
    corners[end][0] = detail::difference(a0, b0);
    corners[end][1] = detail::difference(a1, b0);
    corners[end][2] = detail::difference(a1, b1);
    corners[end][3] = detail::difference(a0, b1);
  }
  return bound_approach(corners[0], corners[1]);
}

/// Returns what the motion of a pair of primitives, the first `num_first` vertices and the rest, grows by where its
/// path strays from the straight line: at the fraction t at most by 4 t of its deviation.
template <std::size_t num_vertices>
CLEARANCE_INLINE double stray(const std::vector<double>& deviation, const std::array<int, num_vertices>& vertices,
                              std::size_t num_first) {
  std::array<double, 2> largest{};
  for (std::size_t v = 0; v < num_vertices; ++v) {
    double& of_primitive = largest[v < num_first ? 0 : 1];
    of_primitive = std::max(of_primitive, deviation[vertices[v]]);
  }
  return 4.0 * (largest[0] + largest[1]);
}

/// Measures `pairs`, whose numbers begin at `first`, in groups of four; the last group repeats its last pair.
/// `vertices_at(i)` are the vertices of the i-th of them, `num_first` those of its first primitive.
template <std::size_t num_first, class Vertices, class Approach>
void measure(const SurfacePath& path, const VertexMotions& motions, std::size_t first, const std::vector<Pair>& pairs,
             const Vertices& vertices_at, const Approach& approach, SweptCandidates& swept) {
  const std::size_t count = pairs.size();
  const int num_groups = static_cast<int>((count + num_lanes - 1) / num_lanes);
  parallel_for(num_groups, 256, [&](int group) {
    const std::size_t begin = static_cast<std::size_t>(group) * num_lanes;
    const std::size_t size = std::min<std::size_t>(num_lanes, count - begin);
    std::array<std::array<int, 4>, num_lanes> vertices;
    LaneMotions lanes;
    for (std::size_t i = 0; i < num_lanes; ++i) {
      vertices[i] = vertices_at(pairs[begin + std::min(i, size - 1)]);
      for (std::size_t k = 0; k < 4; ++k) lanes[k][i] = &motions[vertices[i][k]];
    }
    const auto result = approach(lanes);
    for (std::size_t i = 0; i < size; ++i) {
      const int lane = static_cast<int>(i);
      const std::size_t at = first + begin + i;
      swept.distance[at] = result.distance[lane];
      swept.motion[at] = result.motion[lane];
      if (!path.deviation.empty()) swept.motion[at] += stray(path.deviation, vertices[i], num_first);
    }
  });
}

/// Takes the radii off the distances.
void subtract_radii(const SurfaceTopology& surface, SweptCandidates& swept) {
  if (surface.radius.empty()) return;
  parallel_for(static_cast<int>(swept.distance.size()), 2048, [&](int i) {
    double& distance = swept.distance[i];
    distance = std::max(0.0, distance - pair_of(surface, swept.pairs, i).thickness(surface));
  });
}

/// Returns the nearest point of the simplex of the other vertices to the first one.
template <int dim>
Vec<dim> nearest_point(const std::array<Vec<dim>, 2>& x) {
  return x[1];
}
template <int dim>
Vec<dim> nearest_point(const std::array<Vec<dim>, 3>& x) {
  const Vec<dim> edge = x[2] - x[1];
  const double length_sq = edge.squaredNorm();
  const double s = length_sq > 0.0 ? std::clamp((x[0] - x[1]).dot(edge) / length_sq, 0.0, 1.0) : 0.0;
  return x[1] + s * edge;
}

struct PointApproach {
  double distance, motion;  // as in SweptCandidates
};

/// Measures a point against a point or an edge (ccd/approach.h). The projection on any direction is a lower bound of
/// the distance at any time, here on that of the distance at the start. Where rounding turns this direction, the
/// projection at the start is less than the distance, or none at all.
template <int dim, std::size_t count>
PointApproach measure_along(const PrimitiveMotion<dim, count>& m) {
  const Vec<dim> away = m.t0[0] - nearest_point<dim>(m.t0);
  const double distance = away.norm();
  if (!(distance > 0.0)) return {0.0, infinity};
  const auto least = [&](const std::array<Vec<dim>, count>& x) {
    double smallest = infinity;
    for (std::size_t i = 1; i < count; ++i) smallest = std::min(smallest, away.dot(x[0] - x[i]));
    return smallest / distance;
  };
  const double at_start = least(m.t0);
  return {std::max(0.0, at_start), std::max(0.0, at_start - least(m.t1))};
}

/// Measures a point against an edge by the largest displacement of the point relative to its ends.
PointApproach measure_point_edge(const PrimitiveMotion<2, 3>& m) {
  const Vec<2> moved = m.t1[0] - m.t0[0];
  const double to_e0 = (m.t1[1] - m.t0[1] - moved).squaredNorm(), to_e1 = (m.t1[2] - m.t0[2] - moved).squaredNorm();
  return {std::sqrt(point_edge_distance_sq<2>(m.t0[0], m.t0[1], m.t0[2])), std::sqrt(std::max(to_e0, to_e1))};
}

PointApproach measure_point_edge(const PrimitiveMotion<3, 3>& m) {
  return measure_along<3, 3>(m);
}

}  // namespace

std::array<int, 4> vertices_of(const SurfaceTopology& surface, const Candidates& candidates, std::size_t k) {
  if (k < candidates.point_triangle.size()) {
    const auto [p, triangle] = candidates.point_triangle[k];
    const auto& t = surface.triangles[triangle];
    return {p, t[0], t[1], t[2]};
  }
  k -= candidates.point_triangle.size();
  if (k < candidates.edge_edge.size()) {
    const auto [first, second] = candidates.edge_edge[k];
    const auto& a = surface.edges[first];
    const auto& b = surface.edges[second];
    return {a[0], a[1], b[0], b[1]};
  }
  k -= candidates.edge_edge.size();
  if (k < candidates.point_edge.size()) {
    const auto [p, edge] = candidates.point_edge[k];
    const auto& e = surface.edges[edge];
    return {p, e[0], e[1], -1};
  }
  const auto [p, q] = candidates.point_point[k - candidates.point_edge.size()];
  return {p, q, -1, -1};
}

PrimitivePair pair_of(const SurfaceTopology& surface, const Candidates& candidates, std::size_t k) {
  const std::size_t num_point_triangle = candidates.point_triangle.size();
  const bool is_edge_edge = k >= num_point_triangle && k < num_point_triangle + candidates.edge_edge.size();
  return {vertices_of(surface, candidates, k), is_edge_edge ? 2 : 1, -1};
}

template <int dim, std::size_t count>
PrimitiveMotion<dim, count> motion_of(const SurfacePath& path, const std::array<int, 4>& vertices) {
  PrimitiveMotion<dim, count> motion;
  for (std::size_t i = 0; i < count; ++i) {
    motion.t0[i] = block<dim>(path.x_t0, vertices[i]);
    motion.t1[i] = block<dim>(path.x_t1, vertices[i]);
  }
  return motion;
}

template <int dim>
SweptCandidates measure_candidates(const SurfaceTopology& surface, const SurfacePath& path, Candidates candidates) {
  SweptCandidates swept;
  swept.pairs = std::move(candidates);
  swept.distance.resize(swept.pairs.size());
  swept.motion.resize(swept.pairs.size());
  const std::size_t num_point_triangle = swept.pairs.point_triangle.size();
  if constexpr (dim == 3) {
    const VertexMotions motions = vertex_motions(surface, path, swept.pairs);
    const auto point_and_triangle = [&](const Pair& pair) {
      const auto& t = surface.triangles[pair[1]];
      return std::array<int, 4>{pair[0], t[0], t[1], t[2]};
    };
    const auto two_edges = [&](const Pair& pair) {
      const auto &a = surface.edges[pair[0]], &b = surface.edges[pair[1]];
      return std::array<int, 4>{a[0], a[1], b[0], b[1]};
    };
    measure<1>(path, motions, 0, swept.pairs.point_triangle, point_and_triangle, point_triangle_approach, swept);
    measure<2>(path, motions, num_point_triangle, swept.pairs.edge_edge, two_edges, edge_edge_approach, swept);
  }
  const std::size_t first = num_point_triangle + swept.pairs.edge_edge.size();
  const std::size_t end_of_edges = first + swept.pairs.point_edge.size();
  parallel_for(static_cast<int>(swept.pairs.size() - first), 512, [&](int i) {
    const std::size_t k = first + i;
    const std::array<int, 4> vertices = vertices_of(surface, swept.pairs, k);
    const bool has_edge = k < end_of_edges;
    const PointApproach approach = has_edge ? measure_point_edge(motion_of<dim, 3>(path, vertices))
                                            : measure_along<dim, 2>(motion_of<dim, 2>(path, vertices));
    swept.distance[k] = approach.distance;
    swept.motion[k] = approach.motion;
    if (path.deviation.empty()) return;
    const auto [p, e0, e1, none] = vertices;
    swept.motion[k] += has_edge ? stray(path.deviation, std::array<int, 3>{p, e0, e1}, 1)
                                : stray(path.deviation, std::array<int, 2>{p, e0}, 1);
  });
  subtract_radii(surface, swept);
  return swept;
}

void for_each_straight_query(const SurfaceTopology& surface, const SurfacePath& path, const Candidates& candidates,
                             const std::function<void(const CcdQuery&)>& visit) {
  const std::size_t num_point_triangle = candidates.point_triangle.size();
  for (std::size_t k = 0; k < num_point_triangle + candidates.edge_edge.size(); ++k) {
    const PrimitivePair pair = pair_of(surface, candidates, k);
    // Queries have no radius.
    if (!is_straight(path, pair) || pair.thickness(surface) > 0.0) continue;
    visit(
        {pair.num_first == 2 ? QueryKind::edge_edge : QueryKind::point_triangle, motion_of<3, 4>(path, pair.vertices)});
  }
}

Candidates reachable_candidates(const SweptCandidates& candidates, double alpha, double activation) {
  Candidates reachable;
  std::size_t k = 0;
  const auto keep_reachable = [&](const std::vector<Pair>& pairs, std::vector<Pair>& kept) {
    kept.reserve(std::min<std::size_t>(pairs.size(), 256));  // many pairs keep few
    for (const Pair& pair : pairs) {
      // The relative margin covers the rounding of distance and motion.
      const bool reaches = candidates.distance[k] - alpha * candidates.motion[k] <= activation * (1.0 + 1e-9);
      ++k;
      if (reaches) kept.push_back(pair);
    }
  };
  keep_reachable(candidates.pairs.point_triangle, reachable.point_triangle);
  keep_reachable(candidates.pairs.edge_edge, reachable.edge_edge);
  keep_reachable(candidates.pairs.point_edge, reachable.point_edge);
  keep_reachable(candidates.pairs.point_point, reachable.point_point);
  return reachable;
}

template PrimitiveMotion<2, 2> motion_of<2, 2>(const SurfacePath&, const std::array<int, 4>&);
template PrimitiveMotion<2, 3> motion_of<2, 3>(const SurfacePath&, const std::array<int, 4>&);
template PrimitiveMotion<3, 2> motion_of<3, 2>(const SurfacePath&, const std::array<int, 4>&);
template PrimitiveMotion<3, 3> motion_of<3, 3>(const SurfacePath&, const std::array<int, 4>&);
template PrimitiveMotion<3, 4> motion_of<3, 4>(const SurfacePath&, const std::array<int, 4>&);
template SweptCandidates measure_candidates<2>(const SurfaceTopology&, const SurfacePath&, Candidates);
template SweptCandidates measure_candidates<3>(const SurfaceTopology&, const SurfacePath&, Candidates);

}  // namespace clearance
