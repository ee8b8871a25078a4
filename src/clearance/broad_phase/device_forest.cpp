#include "clearance/broad_phase/device_forest.h"

#include <algorithm>
#include <numeric>

namespace clearance {

namespace {

/// Returns the vertices of some primitives, one primitive after the other.
template <class Primitives>
std::vector<int> corners_of(const Primitives& primitives) {
  std::vector<int> corners;
  for (const auto& primitive : primitives) corners.insert(corners.end(), primitive.begin(), primitive.end());
  return corners;
}

}  // namespace

DeviceForest::DeviceForest(int dim, const SurfaceTopology& surface, std::shared_ptr<DeviceUse> use)
    : dim_(dim),
      surface_(surface),
      cpu_(dim, surface),
      lone_(find_lone_primitives(surface)),
      use_(std::move(use)),
      culling_(surface, use_) {}

DeviceCulling* culling_of(BroadPhase& broad_phase) {
  auto* forest = dynamic_cast<DeviceForest*>(&broad_phase);
  return forest == nullptr ? nullptr : forest->culling();
}

Candidates DeviceForest::find_candidates(const VecX& x_t0, const VecX& x_t1, double inflation,
                                         const std::vector<double>& deviation) {
  cpu_.prepare(VertexBoxes(dim_, x_t0, x_t1, inflation, deviation));
  cpu_.limit_pairs(most_pairs_);
  return answer(
      *use_, use_->broad_phase, cpu_.near().num_vertices(), [&] { return cpu_.find_prepared(); },
      [&] { return find_on_device(); });
}

std::vector<std::array<int, 2>> DeviceForest::find_intersection_candidates(const VecX& x) {
  const std::vector<double> no_deviation;
  cpu_.prepare(VertexBoxes(dim_, x, x, 0.0, no_deviation));
  return answer(
      *use_, use_->broad_phase, cpu_.near().num_vertices(), [&] { return cpu_.find_prepared_intersections(); },
      [&] { return find_intersections_on_device(); });
}

void DeviceForest::make_trees() {
  if (trees_) return;
  const NearBodies& near = cpu_.near();
  Device& device = *use_->device;
  trees_.emplace();
  const auto make = [&](int arity, std::vector<int> corners) {
    return DeviceTrees(device, arity, std::move(corners), near.body_of_vertex(), near.num_bodies());
  };
  std::vector<int> all(surface_.num_vertices);
  std::iota(all.begin(), all.end(), 0);
  trees_->vertices = make(1, std::move(all));
  trees_->edges = make(2, corners_of(surface_.edges));
  // In 2D triangles are areas inside bodies: nothing touches them.
  if (dim_ == 3) trees_->triangles = make(3, corners_of(surface_.triangles));
  if (!lone_.vertices.empty()) trees_->lone_vertices = make(1, lone_.vertices);
  if (lone_.edges.empty() || dim_ != 3) return;
  Edges edges;
  for (const int edge : lone_.edges) edges.push_back(surface_.edges[edge]);
  trees_->lone_edges = make(2, corners_of(edges));
}

/// Copies the boxes of vertices and bodies to the device. False if they are not all numbers.
bool DeviceForest::write_boxes() {
  make_trees();
  return trees_->vertex_boxes.write(*use_->device, cpu_.near().vertex_boxes()) &&
         trees_->body_boxes.write(*use_->device, cpu_.near().body_boxes());
}

template <class... Kinds>
void DeviceForest::update(Kinds&... kinds) {
  (kinds->update(*use_->device, trees_->vertex_boxes, trees_->body_boxes), ...);
}

auto DeviceForest::find_overlaps(const DeviceTrees& first, const DeviceTrees& second, std::size_t most_pairs)
    -> std::optional<Pairs> {
  return trees_->join.find_overlaps(*use_->device, first, second, cpu_.near().tree_pairs(&first == &second), most_pairs,
                                    trees_->collector);
}

/// Finds the pairs of one kind, unless those of another were too many already.
void DeviceForest::join_into(Candidates& candidates, Pairs& pairs, const DeviceTrees& first,
                             const DeviceTrees& second) {
  if (!candidates.is_complete) return;
  auto found = find_overlaps(first, second, most_pairs_);
  candidates.is_complete = found.has_value();
  if (found) pairs = std::move(*found);
}

std::optional<Candidates> DeviceForest::find_on_device() {
  Candidates candidates;
  if (cpu_.near().pairs().empty()) return candidates;
  if (!write_boxes()) return std::nullopt;
  Trees& trees = *trees_;
  if (dim_ == 2) {
    update(trees.vertices, trees.edges);
    join_into(candidates, candidates.point_edge, *trees.vertices, *trees.edges);
  } else {
    update(trees.vertices, trees.edges, trees.triangles);
    join_into(candidates, candidates.point_triangle, *trees.vertices, *trees.triangles);
    join_into(candidates, candidates.edge_edge, *trees.edges, *trees.edges);
  }
  if (trees.lone_edges) {
    update(trees.lone_edges);
    join_into(candidates, candidates.point_edge, *trees.vertices, *trees.lone_edges);
    for (auto& [vertex, edge] : candidates.point_edge) edge = lone_.edges[edge];
  }
  if (trees.lone_vertices) {
    update(trees.lone_vertices);
    join_into(candidates, candidates.point_point, *trees.lone_vertices, *trees.lone_vertices);
  }
  return candidates.is_complete ? candidates : Candidates{{}, {}, {}, {}, false};
}

auto DeviceForest::find_intersections_on_device() -> std::optional<Pairs> {
  if (cpu_.near().pairs().empty()) return Pairs{};
  if (!write_boxes()) return std::nullopt;
  update(trees_->edges);
  if (dim_ == 3) update(trees_->triangles);
  return *find_overlaps(*trees_->edges, dim_ == 2 ? *trees_->edges : *trees_->triangles, unlimited_pairs);
}

}  // namespace clearance
