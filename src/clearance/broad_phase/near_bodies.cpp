#include "clearance/broad_phase/near_bodies.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

constexpr int vertices_per_task = 2048;

}  // namespace

std::vector<std::array<int, 1>> single_vertices(int count) {
  std::vector<std::array<int, 1>> result(count);
  for (int i = 0; i < count; ++i) result[i] = {i};
  return result;
}

NearBodies::NearBodies(const SurfaceTopology& surface)
    : bodies_(find_bodies(surface)),
      parts_(divide(bodies_)),
      body_tree_(single_vertices(bodies_.count()), std::vector<int>(bodies_.group.size(), 0), 1) {}

NearBodies::Bodies NearBodies::find_bodies(const SurfaceTopology& surface) {
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

std::vector<std::array<int, 2>> NearBodies::tree_pairs(bool is_one_kind) const {
  std::vector<std::array<int, 2>> result = pairs_;
  if (is_one_kind) return result;
  for (const auto& [a, b] : pairs_) {
    if (a != b) result.push_back({b, a});
  }
  return result;
}

std::size_t NearBodies::num_vertices() const {
  std::size_t count = 0;
  for (const int body : near_bodies_) count += bodies_.vertex_begin[body + 1] - bodies_.vertex_begin[body];
  return count;
}

std::vector<NearBodies::Part> NearBodies::divide(const Bodies& bodies) {
  std::vector<Part> parts;
  for (int body = 0; body < bodies.count(); ++body) {
    const int end = bodies.vertex_begin[body + 1];
    for (int begin = bodies.vertex_begin[body]; begin < end; begin += vertices_per_task) {
      parts.push_back({body, begin, std::min(begin + vertices_per_task, end)});
    }
  }
  return parts;
}

int NearBodies::parts_per_task() const {
  const auto num_vertices = static_cast<std::int64_t>(bodies_.vertices.size()), num_parts = std::ssize(parts_);
  return static_cast<int>(
      std::max<std::int64_t>(1, vertices_per_task * num_parts / std::max<std::int64_t>(1, num_vertices)));
}

std::span<const int> NearBodies::vertices_of(const Part& part) const {
  return std::span(bodies_.vertices).subspan(part.begin, part.end - part.begin);
}

void NearBodies::find(const VertexBoxes& boxes) {
  vertex_boxes_.resize(bodies_.of_vertex.size());
  update_body_boxes(boxes);
  find_pairs();
  compute_boxes_of_near(boxes);
}

void NearBodies::find_pairs() {
  pairs_.clear();
  for (int body = 0; body < bodies_.count(); ++body) {
    if (bodies_.touches_itself(body)) pairs_.push_back({body, body});
  }
  if (bodies_.count() < 2) return;

  body_tree_.update(0, body_boxes_);
  const auto pairs = find_overlaps(body_tree_, body_tree_, {{0, 0}}, unlimited_pairs, collector_);
  for (const auto& [a, b] : *pairs) {
    const int group = bodies_.group[a];
    const bool is_one_group = group >= 0 && group == bodies_.group[b];
    if (!is_one_group && !is_ignored(a, b)) pairs_.push_back({a, b});
  }
}

bool NearBodies::is_ignored(int a, int b) const {
  if (bodies_.ignored_pairs.empty()) return false;
  const auto [first, second] = std::minmax(bodies_.number[a], bodies_.number[b]);
  return std::binary_search(bodies_.ignored_pairs.begin(), bodies_.ignored_pairs.end(), std::array{first, second});
}

/// Bodies that touch themselves need the boxes of their vertices in any case; the others only bounds.
void NearBodies::update_body_boxes(const VertexBoxes& boxes) {
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

void NearBodies::compute_boxes_of_near(const VertexBoxes& boxes) {
  std::vector<char> is_near(bodies_.group.size(), 0);
  for (const auto& pair : pairs_) {
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

}  // namespace clearance
