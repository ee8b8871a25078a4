#include "clearance/broad_phase/lbvh.h"

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

std::vector<std::array<int, 3>> vertices_of(const SurfaceTopology& surface) {
  std::vector<std::array<int, 3>> result;
  result.reserve(static_cast<std::size_t>(surface.num_vertices));
  for (int v = 0; v < surface.num_vertices; ++v) result.push_back({v, -1, -1});
  return result;
}

std::vector<std::array<int, 3>> edges_of(const SurfaceTopology& surface) {
  std::vector<std::array<int, 3>> result;
  result.reserve(surface.edges.size());
  for (const auto& edge : surface.edges) result.push_back({edge[0], edge[1], -1});
  return result;
}

// In 2D triangles are areas inside bodies: nothing touches them.
std::vector<std::array<int, 3>> triangles_of(int dim, const SurfaceTopology& surface) {
  return dim == 3 ? surface.triangles : std::vector<std::array<int, 3>>{};
}

}  // namespace

Lbvh::Lbvh(int dim, const SurfaceTopology& surface)
    : dim_(dim),
      vertices_(1, vertices_of(surface), surface.vertex_group),
      edges_(2, edges_of(surface), surface.vertex_group),
      triangles_(3, triangles_of(dim, surface), surface.vertex_group) {}

Candidates Lbvh::find_candidates(const VecX& x_t0, const VecX& x_t1, double inflation,
                                 const std::vector<double>& deviation) {
  compute_vertex_boxes(dim_, x_t0, x_t1, inflation, deviation, vertex_boxes_);
  const std::array<PackTree*, 3> trees = {&edges_, &triangles_, &vertices_};
  parallel_for(3, 1, [&](int t) { trees[static_cast<std::size_t>(t)]->update(vertex_boxes_); });

  Candidates candidates;
  if (dim_ == 2) {
    candidates.point_edge = find_overlaps(vertices_, edges_, collector_);
  } else {
    candidates.point_triangle = find_overlaps(vertices_, triangles_, collector_);
    candidates.edge_edge = find_overlaps(edges_, edges_, collector_);
  }
  return candidates;
}

std::vector<std::array<int, 2>> Lbvh::find_intersection_candidates(const VecX& x) {
  compute_vertex_boxes(dim_, x, x, 0.0, {}, vertex_boxes_);
  const std::array<PackTree*, 2> trees = {&edges_, &triangles_};
  parallel_for(2, 1, [&](int t) { trees[static_cast<std::size_t>(t)]->update(vertex_boxes_); });
  return dim_ == 2 ? find_overlaps(edges_, edges_, collector_) : find_overlaps(edges_, triangles_, collector_);
}

std::unique_ptr<BroadPhase> make_lbvh(int dim, const SurfaceTopology& surface) {
  return std::make_unique<Lbvh>(dim, surface);
}

}  // namespace clearance
