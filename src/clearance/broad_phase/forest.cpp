#include "clearance/broad_phase/forest.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

constexpr int vertices_per_task = 2048;

std::vector<std::array<int, 1>> singles(int count) {
  std::vector<std::array<int, 1>> result(count);
  for (int i = 0; i < count; ++i) result[i] = {i};
  return result;
}

template <class Primitive>
std::vector<Primitive> select(const std::vector<Primitive>& primitives, const std::vector<int>& numbers) {
  std::vector<Primitive> selected;
  for (const int number : numbers) selected.push_back(primitives[number]);
  return selected;
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
      bodies_(find_bodies(surface)),
      parts_(divide(bodies_)),
      body_tree_(singles(bodies_.count()), std::vector<int>(bodies_.group.size(), 0), 1),
      vertices_(singles(surface.num_vertices), bodies_.of_vertex, bodies_.count()),
      edges_(surface.edges, bodies_.of_vertex, bodies_.count()),
      triangles_(dim == 3 ? surface.triangles : Triangles{}, bodies_.of_vertex, bodies_.count()),
      lone_(find_lone_primitives(surface)),
      lone_vertices_(select(singles(surface.num_vertices), lone_.vertices), bodies_.of_vertex, bodies_.count()),
      lone_edges_(dim == 3 ? select(surface.edges, lone_.edges) : Edges{}, bodies_.of_vertex, bodies_.count()) {}

int Forest::num_sorts() const {
  int result = 0;
  for (int body = 0; body < bodies_.count(); ++body) result = std::max(result, edges_.num_sorts(body));
  return result;
}

Candidates Forest::find_candidates(const VecX& x_t0, const VecX& x_t1, double inflation,
                                   const std::vector<double>& deviation) {
  find_near_bodies(VertexBoxes(dim_, x_t0, x_t1, inflation, deviation));
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
  find_near_bodies(VertexBoxes(dim_, x, x, 0.0, no_deviation));
  if (dim_ == 2) {
    update_trees(edges_);
    return *join(edges_, edges_, unlimited_pairs);
  }
  update_trees(edges_, triangles_);
  return *join(edges_, triangles_, unlimited_pairs);
}

std::vector<Forest::Part> Forest::divide(const Bodies& bodies) {
  std::vector<Part> parts;
  for (int body = 0; body < bodies.count(); ++body) {
    const int end = bodies.vertex_begin[body + 1];
    for (int begin = bodies.vertex_begin[body]; begin < end; begin += vertices_per_task) {
      parts.push_back({body, begin, std::min(begin + vertices_per_task, end)});
    }
  }
  return parts;
}

int Forest::parts_per_task() const {
  const auto num_vertices = static_cast<std::int64_t>(bodies_.vertices.size()), num_parts = std::ssize(parts_);
  return static_cast<int>(
      std::max<std::int64_t>(1, vertices_per_task * num_parts / std::max<std::int64_t>(1, num_vertices)));
}

std::span<const int> Forest::vertices_of(const Part& part) const {
  return std::span(bodies_.vertices).subspan(part.begin, part.end - part.begin);
}

/// Finds the pairs of bodies whose boxes overlap, and computes the boxes of their vertices. In most scenes of stiff
/// bodies, few are near another one, and the boxes of all vertices took a fifth of the time of a robot's steps.
void Forest::find_near_bodies(const VertexBoxes& boxes) {
  vertex_boxes_.resize(bodies_.of_vertex.size());
  update_body_boxes(boxes);
  find_body_pairs();
  compute_boxes_of_near(boxes);
}

void Forest::find_body_pairs() {
  body_pairs_.clear();
  for (int body = 0; body < bodies_.count(); ++body) {
    if (bodies_.touches_itself(body)) body_pairs_.push_back({body, body});
  }
  if (bodies_.count() < 2) return;

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

/// Bodies that touch themselves need the boxes of their vertices in any case; the others only bounds.
void Forest::update_body_boxes(const VertexBoxes& boxes) {
  part_boxes_.resize(parts_.size());
  parallel_for(static_cast<int>(parts_.size()), parts_per_task(), [&](int p) {
    const Part& part = parts_[p];
    if (!bodies_.touches_itself(part.body)) {
      part_boxes_[p] = boxes.bound(vertices_of(part));
      return;
    }
    boxes.compute(vertices_of(part), vertex_boxes_);
    Box box = empty_box();
    for (const int v : vertices_of(part)) box.extend(vertex_boxes_[v]);
    part_boxes_[p] = box;
  });
  body_boxes_.assign(bodies_.group.size(), empty_box());
  for (std::size_t p = 0; p < parts_.size(); ++p) body_boxes_[parts_[p].body].extend(part_boxes_[p]);
}

void Forest::compute_boxes_of_near(const VertexBoxes& boxes) {
  std::vector<char> is_near(bodies_.group.size(), 0);
  for (const auto& pair : body_pairs_) {
    for (const int body : pair) is_near[body] = 1;
  }
  near_bodies_.clear();
  for (int body = 0; body < bodies_.count(); ++body) {
    if (is_near[body] != 0) near_bodies_.push_back(body);
  }
  parallel_for(static_cast<int>(parts_.size()), parts_per_task(), [&](int p) {
    const Part& part = parts_[p];
    if (is_near[part.body] != 0 && !bodies_.touches_itself(part.body)) boxes.compute(vertices_of(part), vertex_boxes_);
  });
}

// Only bodies that are near another one or touch themselves.
template <class... Trees>
void Forest::update_trees(Trees&... trees) {
  const auto update = [&](auto& kind) {
    parallel_for(static_cast<int>(near_bodies_.size()), 64,
                 [&](int i) { kind.update(near_bodies_[i], vertex_boxes_); });
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
