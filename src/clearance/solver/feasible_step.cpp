#include "clearance/solver/feasible_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "clearance/base/parallel.h"
#include "clearance/geometry/distance.h"
#include "clearance/geometry/intersection.h"

namespace clearance {

namespace {

constexpr int grain = 512;
/// Pairs are visited in blocks of this many, each limited by the result of the blocks before: the answer cannot depend
/// on the number of threads.
constexpr int ccd_block = 256;

/// Primitives whose gap is small beside their size keep tight inclusion busy for a million boxes; then additive CCD
/// takes over. In hard impacts half of the queries exceed a thousand, and ten times the time changes nothing in the
/// motion.
constexpr int max_inclusion_boxes = 250;

using Pair = std::array<int, 2>;

Pair pair_at(const Candidates& candidates, std::size_t k) {
  if (k < candidates.point_triangle.size()) return candidates.point_triangle[k];
  k -= candidates.point_triangle.size();
  if (k < candidates.edge_edge.size()) return candidates.edge_edge[k];
  return candidates.point_edge[k - candidates.edge_edge.size()];
}

/// The motion of the four (2D: three) vertices of candidate k.
PrimitiveMotion<3, 4> motion_of(const SurfaceTopology& surface, const SurfacePath& path, const Candidates& candidates,
                                std::size_t k) {
  const Pair pair = pair_at(candidates, k);
  std::array<int, 4> vertices;
  if (k < candidates.point_triangle.size()) {
    const auto& t = surface.triangles[static_cast<std::size_t>(pair[1])];
    vertices = {pair[0], t[0], t[1], t[2]};
  } else {
    const auto& a = surface.edges[static_cast<std::size_t>(pair[0])];
    const auto& b = surface.edges[static_cast<std::size_t>(pair[1])];
    vertices = {a[0], a[1], b[0], b[1]};
  }
  PrimitiveMotion<3, 4> motion;
  for (std::size_t i = 0; i < 4; ++i) {
    motion.t0[i] = block<3>(path.x_t0, vertices[i]);
    motion.t1[i] = block<3>(path.x_t1, vertices[i]);
  }
  return motion;
}

PrimitiveMotion<2, 3> planar_motion_of(const SurfaceTopology& surface, const SurfacePath& path,
                                       const Candidates& candidates, std::size_t k) {
  const Pair pair = candidates.point_edge[k];
  const auto& e = surface.edges[static_cast<std::size_t>(pair[1])];
  const std::array<int, 3> vertices = {pair[0], e[0], e[1]};
  PrimitiveMotion<2, 3> motion;
  for (std::size_t i = 0; i < 3; ++i) {
    motion.t0[i] = block<2>(path.x_t0, vertices[i]);
    motion.t1[i] = block<2>(path.x_t1, vertices[i]);
  }
  return motion;
}

/// Largest relative displacement between the vertices [0, split) and [split, count).
template <int dim, int count>
double relative_motion(const PrimitiveMotion<dim, count>& motion, std::size_t split) {
  std::array<Vec<dim>, count> displacement;
  for (std::size_t i = 0; i < count; ++i) displacement[i] = motion.t1[i] - motion.t0[i];
  double largest_sq = 0.0;
  for (std::size_t i = 0; i < split; ++i) {
    for (std::size_t j = split; j < count; ++j) {
      largest_sq = std::max(largest_sq, (displacement[i] - displacement[j]).squaredNorm());
    }
  }
  return std::sqrt(largest_sq);
}

/// [m] bound of the rounding error of a distance computed from positions of this size.
double rounding_of(const VecX& x) {
  return x.size() == 0 ? 0.0 : 1e-14 * x.cwiseAbs().maxCoeff();
}

FeasibleStep half_space_step(int dim, const Model& model, const SurfacePath& path, const SolverOptions& options) {
  FeasibleStep step;
  const double min_separation = options.barrier.min_separation;
  for (const HalfSpace& plane : model.half_spaces) {
    for (int vertex = 0; vertex < model.surface.num_vertices; ++vertex) {
      if (!model.meets_half_spaces(vertex)) continue;
      double gap_t0 = -plane.offset - min_separation, gap_t1 = gap_t0;
      double size = std::abs(plane.offset) + min_separation;
      for (int c = 0; c < dim; ++c) {
        const double x_t0 = path.x_t0[dim * vertex + c], x_t1 = path.x_t1[dim * vertex + c];
        gap_t0 += plane.normal[c] * x_t0;
        gap_t1 += plane.normal[c] * x_t1;
        size += std::abs(x_t0) + std::abs(x_t1);
      }
      // A gap below the rounding of the distances, of the plane and of the moved vertex may be none at all.
      const double target = std::max(options.gap_fraction * gap_t0, 1e-15 * size);
      if (gap_t1 >= target || gap_t1 >= gap_t0) continue;
      const double alpha = gap_t0 > target ? (gap_t0 - target) / (gap_t0 - gap_t1) : 0.0;
      if (alpha < step.alpha) step = {alpha, fmt::format("vertex {} and a half-space", vertex), 0};
    }
  }
  return step;
}

std::string describe(const SurfaceTopology& surface, const Candidates& candidates, std::size_t k, double distance) {
  const Pair pair = pair_at(candidates, k);
  const bool is_edge_edge = k >= candidates.point_triangle.size() && candidates.point_edge.empty();
  const int first_vertex = is_edge_edge ? surface.edges[static_cast<std::size_t>(pair[0])][0] : pair[0];
  const int second_vertex = is_edge_edge                    ? surface.edges[static_cast<std::size_t>(pair[1])][0]
                            : candidates.point_edge.empty() ? surface.triangles[static_cast<std::size_t>(pair[1])][0]
                                                            : surface.edges[static_cast<std::size_t>(pair[1])][0];
  const char* kind = is_edge_edge                    ? "edge {} of body {} and edge {} of body {}, {:.3g} m apart"
                     : candidates.point_edge.empty() ? "vertex {} of body {} and triangle {} of body {}, {:.3g} m apart"
                                                     : "vertex {} of body {} and edge {} of body {}, {:.3g} m apart";
  return fmt::format(fmt::runtime(kind), pair[0], surface.vertex_body[static_cast<std::size_t>(first_vertex)], pair[1],
                     surface.vertex_body[static_cast<std::size_t>(second_vertex)], distance);
}

}  // namespace

SweptCandidates measure_candidates(int dim, const SurfaceTopology& surface, const SurfacePath& path,
                                   Candidates candidates) {
  SweptCandidates swept;
  swept.pairs = std::move(candidates);
  swept.distance.resize(swept.pairs.size());
  swept.motion.resize(swept.pairs.size());
  const std::size_t num_point_triangle = swept.pairs.point_triangle.size();
  parallel_for(static_cast<int>(swept.pairs.size()), grain, [&](int i) {
    const auto k = static_cast<std::size_t>(i);
    if (dim == 2) {
      const auto m = planar_motion_of(surface, path, swept.pairs, k);
      swept.distance[k] = std::sqrt(point_edge_distance_sq<2>(m.t0[0], m.t0[1], m.t0[2]));
      swept.motion[k] = relative_motion(m, 1);
      return;
    }
    const auto m = motion_of(surface, path, swept.pairs, k);
    const bool is_point_triangle = k < num_point_triangle;
    swept.distance[k] = std::sqrt(is_point_triangle ? point_triangle_distance_sq(m.t0[0], m.t0[1], m.t0[2], m.t0[3])
                                                    : edge_edge_distance_sq(m.t0[0], m.t0[1], m.t0[2], m.t0[3]));
    swept.motion[k] = relative_motion(m, is_point_triangle ? 1 : 2);
  });
  return swept;
}

FeasibleStep find_feasible_step(int dim, const Model& model, const SurfacePath& path, const SweptCandidates& candidates,
                                const SolverOptions& options) {
  FeasibleStep step = half_space_step(dim, model, path, options);

  // Only pairs whose largest relative motion could use up the allowed part of the gap need CCD; nearest impact first.
  const double rounding = std::max(rounding_of(path.x_t0), rounding_of(path.x_t1));
  const double min_separation = options.barrier.min_separation;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t k = 0; k < candidates.distance.size(); ++k) {
    const double room = (1.0 - options.gap_fraction) * (candidates.distance[k] - min_separation) - rounding;
    if (candidates.motion[k] + rounding <= room) continue;
    // A pair at rounding distance may come without motion; 0 / 0 would break the order and end the search.
    order.emplace_back(room > 0.0 ? room / candidates.motion[k] : 0.0, k);
  }
  std::sort(order.begin(), order.end());
  const auto num_pairs = static_cast<int>(order.size());

  std::vector<double> toi(order.size(), 1.0);
  for (int begin = 0; begin < num_pairs && order[static_cast<std::size_t>(begin)].first < step.alpha;
       begin += ccd_block) {
    CcdOptions ccd;
    ccd.method = options.ccd;
    ccd.min_separation = min_separation;
    ccd.gap_fraction = options.gap_fraction;
    ccd.max_time = step.alpha;
    if (options.ccd == CcdMethod::tight_inclusion) ccd.max_iterations = max_inclusion_boxes;
    const int count = std::min(ccd_block, num_pairs - begin);
    parallel_for(count, 8, [&](int i) {
      const std::size_t k = order[static_cast<std::size_t>(begin + i)].second;
      CcdResult result;
      if (dim == 2) {
        result = point_edge_ccd<2>(planar_motion_of(model.surface, path, candidates.pairs, k), ccd);
      } else if (k < candidates.pairs.point_triangle.size()) {
        result = point_triangle_ccd(motion_of(model.surface, path, candidates.pairs, k), ccd);
      } else {
        result = edge_edge_ccd(motion_of(model.surface, path, candidates.pairs, k), ccd);
      }
      toi[static_cast<std::size_t>(begin + i)] = result.toi;
    });
    step.num_ccd_calls += count;
    for (int i = begin; i < begin + count; ++i) {
      if (toi[static_cast<std::size_t>(i)] < step.alpha) {
        const std::size_t k = order[static_cast<std::size_t>(i)].second;
        step.alpha = toi[static_cast<std::size_t>(i)];
        step.limited_by = describe(model.surface, candidates.pairs, k, candidates.distance[k]);
      }
    }
  }
  return step;
}

Candidates reachable_candidates(const SweptCandidates& candidates, double alpha, double activation) {
  Candidates reachable;
  const auto reaches = [&](std::size_t k) {
    // The relative margin covers the rounding of distance and motion.
    return candidates.distance[k] - alpha * candidates.motion[k] <= activation * (1.0 + 1e-9);
  };
  const Candidates& pairs = candidates.pairs;
  std::size_t k = 0;
  for (const Pair& pair : pairs.point_triangle) {
    if (reaches(k++)) reachable.point_triangle.push_back(pair);
  }
  for (const Pair& pair : pairs.edge_edge) {
    if (reaches(k++)) reachable.edge_edge.push_back(pair);
  }
  for (const Pair& pair : pairs.point_edge) {
    if (reaches(k++)) reachable.point_edge.push_back(pair);
  }
  return reachable;
}

bool is_intersection_free(int dim, const Model& model, const VecX& x_surface, BroadPhase& broad_phase,
                          std::string* first_hit) {
  const SurfaceTopology& surface = model.surface;
  const auto pairs = broad_phase.find_intersection_candidates(x_surface);
  const int no_hit = static_cast<int>(pairs.size());
  const int hit = ordered_reduce(
      no_hit, no_hit,
      [&](int i) {
        const auto [first, second] = pairs[static_cast<std::size_t>(i)];
        const auto& e = surface.edges[static_cast<std::size_t>(first)];
        if (dim == 2) {
          const auto& f = surface.edges[static_cast<std::size_t>(second)];
          const Vec<2> a0 = block<2>(x_surface, e[0]), a1 = block<2>(x_surface, e[1]);
          const Vec<2> b0 = block<2>(x_surface, f[0]), b1 = block<2>(x_surface, f[1]);
          return edges_intersect(a0, a1, b0, b1) ? i : no_hit;
        }
        const auto& t = surface.triangles[static_cast<std::size_t>(second)];
        return edge_intersects_triangle(block<3>(x_surface, e[0]), block<3>(x_surface, e[1]), block<3>(x_surface, t[0]),
                                        block<3>(x_surface, t[1]), block<3>(x_surface, t[2]))
                   ? i
                   : no_hit;
      },
      [](int a, int b) { return std::min(a, b); });
  if (hit < no_hit) {
    if (first_hit != nullptr) {
      const auto [first, second] = pairs[static_cast<std::size_t>(hit)];
      *first_hit = fmt::format("edge {} meets {} {}", first, dim == 2 ? "edge" : "triangle", second);
    }
    return false;
  }
  for (const HalfSpace& plane : model.half_spaces) {
    for (int vertex = 0; vertex < surface.num_vertices; ++vertex) {
      if (!model.meets_half_spaces(vertex)) continue;
      double distance = -plane.offset;
      for (int c = 0; c < dim; ++c) distance += plane.normal[c] * x_surface[dim * vertex + c];
      if (distance > 0.0) continue;
      if (first_hit != nullptr) *first_hit = fmt::format("vertex {} is outside of a half-space", vertex);
      return false;
    }
  }
  return true;
}

}  // namespace clearance
