#include "clearance/broad_phase/forest.h"

#include <algorithm>

#include "clearance/base/parallel.h"
#include "clearance/broad_phase/device_forest.h"

namespace clearance {
namespace {

template <class Primitive>
std::vector<Primitive> select(const std::vector<Primitive>& primitives, const std::vector<int>& numbers) {
  std::vector<Primitive> selected;
  for (const int number : numbers) selected.push_back(primitives[number]);
  return selected;
}

}  // namespace

LonePrimitives find_lone_primitives(const SurfaceTopology& surface) {
  LonePrimitives lone;
  if (surface.radius.empty()) return lone;
  std::vector<char> has_edge(surface.num_vertices, 0), has_triangle(surface.num_vertices, 0);
  for (const auto& triangle : surface.triangles) {
    for (const int v : triangle) has_triangle[v] = has_edge[v] = 1;
  }
  for (std::size_t e = 0; e < surface.edges.size(); ++e) {
    const auto [a, b] = surface.edges[e];
    has_edge[a] = has_edge[b] = 1;
    // The vertices of a lone edge are in no triangle: bodies do not mix sheets and wires.
    if (has_triangle[a] == 0 && has_triangle[b] == 0) lone.edges.push_back(static_cast<int>(e));
  }
  for (int v = 0; v < surface.num_vertices; ++v) {
    if (has_edge[v] == 0) lone.vertices.push_back(v);
  }
  return lone;
}

// In 2D triangles are areas inside bodies: nothing touches them.
Forest::Forest(int dim, const SurfaceTopology& surface)
    : dim_(dim),
      near_(surface),
      vertices_(single_vertices(surface.num_vertices), near_.body_of_vertex(), near_.num_bodies()),
      edges_(surface.edges, near_.body_of_vertex(), near_.num_bodies()),
      triangles_(dim == 3 ? surface.triangles : Triangles{}, near_.body_of_vertex(), near_.num_bodies()),
      lone_(find_lone_primitives(surface)),
      lone_vertices_(select(single_vertices(surface.num_vertices), lone_.vertices), near_.body_of_vertex(),
                     near_.num_bodies()),
      lone_edges_(dim == 3 ? select(surface.edges, lone_.edges) : Edges{}, near_.body_of_vertex(), near_.num_bodies()) {
}

int Forest::num_sorts() const {
  int result = 0;
  for (int body = 0; body < near_.num_bodies(); ++body) result = std::max(result, edges_.num_sorts(body));
  return result;
}

Candidates Forest::find_candidates(const VecX& x_t0, const VecX& x_t1, double inflation,
                                   const std::vector<double>& deviation) {
  prepare(VertexBoxes(dim_, x_t0, x_t1, inflation, deviation));
  return find_prepared();
}

Candidates Forest::find_prepared() {
  Candidates candidates;
  if (dim_ == 2) {
    update_trees(vertices_, edges_);
    join_into(candidates, candidates.point_edge, vertices_, edges_);
  } else {
    update_trees(edges_, triangles_, vertices_);
    join_into(candidates, candidates.point_triangle, vertices_, triangles_);
    join_into(candidates, candidates.edge_edge, edges_, edges_);
  }
  join_lone_primitives(candidates);
  return candidates.is_complete ? candidates : Candidates{{}, {}, {}, {}, false};
}

/// Finds the pairs of spheres and capsules. A tree numbers its lone edges among themselves, in their order.
void Forest::join_lone_primitives(Candidates& candidates) {
  if (!lone_.edges.empty() && dim_ == 3) {
    update_trees(lone_edges_);
    join_into(candidates, candidates.point_edge, vertices_, lone_edges_);
    for (auto& [vertex, edge] : candidates.point_edge) edge = lone_.edges[edge];
  }
  if (!lone_.vertices.empty()) {
    update_trees(lone_vertices_);
    join_into(candidates, candidates.point_point, lone_vertices_, lone_vertices_);
  }
}

std::vector<std::array<int, 2>> Forest::find_intersection_candidates(const VecX& x) {
  const std::vector<double> no_deviation;
  prepare(VertexBoxes(dim_, x, x, 0.0, no_deviation));
  return find_prepared_intersections();
}

std::vector<std::array<int, 2>> Forest::find_prepared_intersections() {
  if (dim_ == 2) {
    update_trees(edges_);
    return *join(edges_, edges_, unlimited_pairs);
  }
  update_trees(edges_, triangles_);
  return *join(edges_, triangles_, unlimited_pairs);
}

// Only bodies that are near another one or touch themselves.
template <class... Trees>
void Forest::update_trees(Trees&... trees) {
  const auto update = [&](auto& kind) {
    parallel_for(static_cast<int>(near_.bodies().size()), 64,
                 [&](int i) { kind.update(near_.bodies()[i], near_.vertex_boxes()); });
  };
  (update(trees), ...);
}

/// The pairs of one kind, unless those of another were too many already.
template <int first_arity, int second_arity>
void Forest::join_into(Candidates& candidates, std::vector<std::array<int, 2>>& pairs,
                       const PackTrees<first_arity>& first, const PackTrees<second_arity>& second) {
  if (!candidates.is_complete) return;
  auto found = join(first, second, most_pairs_);
  candidates.is_complete = found.has_value();
  if (found) pairs = std::move(*found);
}

template <int first_arity, int second_arity>
std::optional<std::vector<std::array<int, 2>>> Forest::join(const PackTrees<first_arity>& first,
                                                            const PackTrees<second_arity>& second,
                                                            std::size_t most_pairs) {
  return find_overlaps(first, second, near_.tree_pairs(first_arity == second_arity), most_pairs, collector_);
}

std::unique_ptr<BroadPhase> make_broad_phase(int dim, const SurfaceTopology& surface) {
  if (auto use = current_device()) return std::make_unique<DeviceForest>(dim, surface, std::move(use));
  return std::make_unique<Forest>(dim, surface);
}

}  // namespace clearance
