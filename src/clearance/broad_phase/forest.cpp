#include "clearance/broad_phase/forest.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

std::vector<std::array<int, 1>> singles(int count) {
  std::vector<std::array<int, 1>> result(count);
  for (int i = 0; i < count; ++i) result[i] = {i};
  return result;
}

}  // namespace

Forest::Bodies Forest::find_bodies(const SurfaceTopology& surface) {
  Bodies bodies;
  std::map<std::array<int, 2>, int> index;
  for (std::size_t v = 0; v < surface.vertex_body.size(); ++v) {
    const std::array<int, 2> key = {surface.vertex_body[v], surface.vertex_group[v]};
    const bool is_like_last = v > 0 && key[0] == surface.vertex_body[v - 1] && key[1] == surface.vertex_group[v - 1];
    const int next = bodies.count();
    const int body = is_like_last ? bodies.of_vertex.back() : index.emplace(key, next).first->second;
    if (body == next) {
      bodies.number.push_back(key[0]);
      bodies.group.push_back(key[1]);
    }
    bodies.of_vertex.push_back(body);
  }

  bodies.ignored_pairs = surface.ignored_pairs;

  // Sort the vertices by body, by counting.
  bodies.vertex_begin.assign(bodies.group.size() + 1, 0);
  for (const int body : bodies.of_vertex) ++bodies.vertex_begin[body + 1];
  std::partial_sum(bodies.vertex_begin.begin(), bodies.vertex_begin.end(), bodies.vertex_begin.begin());
  std::vector<int> next = bodies.vertex_begin;
  bodies.vertices.resize(bodies.of_vertex.size());
  for (int v = 0; v < surface.num_vertices; ++v) {
    int& place = next[bodies.of_vertex[v]];
    bodies.vertices[place++] = v;
  }
  return bodies;
}

// In 2D triangles are areas inside bodies: nothing touches them.
Forest::Forest(int dim, const SurfaceTopology& surface)
    : dim_(dim),
      bodies_(find_bodies(surface)),
      body_tree_(singles(bodies_.count()), std::vector<int>(bodies_.group.size(), 0), 1),
      vertices_(singles(surface.num_vertices), bodies_.of_vertex, bodies_.count()),
      edges_(surface.edges, bodies_.of_vertex, bodies_.count()),
      triangles_(dim == 3 ? surface.triangles : Triangles{}, bodies_.of_vertex, bodies_.count()) {}

int Forest::num_sorts() const {
  int result = 0;
  for (int body = 0; body < bodies_.count(); ++body) result = std::max(result, edges_.num_sorts(body));
  return result;
}

Candidates Forest::find_candidates(const VecX& x_t0, const VecX& x_t1, double inflation,
                                   const std::vector<double>& deviation) {
  compute_vertex_boxes(dim_, x_t0, x_t1, inflation, deviation, vertex_boxes_);
  find_body_pairs();
  Candidates candidates;
  if (dim_ == 2) {
    update_trees(vertices_, edges_);
    join_into(candidates, candidates.point_edge, vertices_, edges_);
  } else {
    update_trees(edges_, triangles_, vertices_);
    join_into(candidates, candidates.point_triangle, vertices_, triangles_);
    join_into(candidates, candidates.edge_edge, edges_, edges_);
  }
  return candidates.is_complete ? candidates : Candidates{{}, {}, {}, false};
}

std::vector<std::array<int, 2>> Forest::find_intersection_candidates(const VecX& x) {
  compute_vertex_boxes(dim_, x, x, 0.0, {}, vertex_boxes_);
  find_body_pairs();
  if (dim_ == 2) {
    update_trees(edges_);
    return *join(edges_, edges_, unlimited_pairs);
  }
  update_trees(edges_, triangles_);
  return *join(edges_, triangles_, unlimited_pairs);
}

void Forest::find_body_pairs() {
  body_pairs_.clear();
  for (int body = 0; body < bodies_.count(); ++body) {
    if (bodies_.group[body] < 0) body_pairs_.push_back({body, body});
  }
  if (bodies_.count() < 2) return;

  update_body_boxes();
  body_tree_.update(0, body_boxes_);
  const auto pairs = find_overlaps(body_tree_, body_tree_, {{0, 0}}, unlimited_pairs, collector_);
  for (const auto& [a, b] : *pairs) {
    const int group = bodies_.group[a];
    const bool is_one_group = group >= 0 && group == bodies_.group[b];
    if (!is_one_group && !is_ignored(a, b)) body_pairs_.push_back({a, b});
  }
}

bool Forest::is_ignored(int a, int b) const {
  if (bodies_.ignored_pairs.empty()) return false;
  const auto [first, second] = std::minmax(bodies_.number[a], bodies_.number[b]);
  return std::binary_search(bodies_.ignored_pairs.begin(), bodies_.ignored_pairs.end(), std::array{first, second});
}

void Forest::update_body_boxes() {
  body_boxes_.resize(bodies_.group.size());
  parallel_for(bodies_.count(), 64, [&](int body) {
    const std::size_t b = body;
    Box box = empty_box();
    for (int i = bodies_.vertex_begin[b]; i < bodies_.vertex_begin[b + 1]; ++i) {
      box.extend(vertex_boxes_[bodies_.vertices[i]]);
    }
    body_boxes_[b] = box;
  });
}

// Only bodies that are near another one or touch themselves.
template <class... Trees>
void Forest::update_trees(Trees&... trees) {
  std::vector<char> is_near(bodies_.group.size(), 0);
  for (const auto& pair : body_pairs_) {
    for (const int body : pair) is_near[body] = 1;
  }
  std::vector<int> near_bodies;
  for (int body = 0; body < bodies_.count(); ++body) {
    if (is_near[body] != 0) near_bodies.push_back(body);
  }
  const auto update = [&](auto& kind) {
    parallel_for(static_cast<int>(near_bodies.size()), 64, [&](int i) { kind.update(near_bodies[i], vertex_boxes_); });
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
  tree_pairs_ = body_pairs_;
  if constexpr (first_arity != second_arity) {
    for (const auto& [a, b] : body_pairs_) {
      if (a != b) tree_pairs_.push_back({b, a});
    }
  }
  return find_overlaps(first, second, tree_pairs_, most_pairs, collector_);
}

std::unique_ptr<BroadPhase> make_broad_phase(int dim, const SurfaceTopology& surface) {
  return std::make_unique<Forest>(dim, surface);
}

}  // namespace clearance
