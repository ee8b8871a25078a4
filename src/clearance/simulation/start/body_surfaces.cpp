#include "clearance/simulation/start/body_surfaces.h"

#include "clearance/geometry/distance.h"

namespace clearance {

namespace {

/// Finds where each body begins in a list that is sorted by bodies, followed by the end of the list. `body_of` returns
/// the body of each member.
template <class BodyOf>
std::vector<int> find_begins(std::size_t num_bodies, int count, const BodyOf& body_of) {
  std::vector<int> begins(num_bodies + 1, 0);
  for (int i = 0; i < count; ++i) ++begins[body_of(i) + 1];
  for (std::size_t b = 1; b < begins.size(); ++b) begins[b] += begins[b - 1];
  return begins;
}

template <class List>
List part_of(const List& list, const std::vector<int>& begins, int body) {
  const std::size_t b = body;
  return {list.begin() + begins[b], list.begin() + begins[b + 1]};
}

}  // namespace

BodySurfaces::BodySurfaces(const SceneModel& scene) : scene_(scene), boxes_(scene.bodies.size()) {
  const SurfaceTopology& surface = scene.model.surface;
  const auto body_of = [&](int v) { return surface.vertex_body[v]; };
  Vertices at_start = scene.frames.mesh.vertices;
  std::size_t next = 0;
  for (const BodyInstance& body : scene.bodies) {
    for (std::size_t v = 0; v < body.displacements.size(); ++v) at_start[next + v] += body.displacements[v];
    next += body.mesh.vertices.size();
  }
  for (int v = 0; v < surface.num_vertices; ++v) {
    const int vertex = scene.vertex_of_surface[v];
    positions_.push_back(at_start[vertex]);
    boxes_[body_of(v)].extend(positions_.back());
  }
  first_vertex_ = find_begins(boxes_.size(), surface.num_vertices, body_of);
  first_triangle_ = find_begins(boxes_.size(), static_cast<int>(surface.triangles.size()),
                                [&](int t) { return body_of(surface.triangles[t][0]); });
  first_edge_ = find_begins(boxes_.size(), static_cast<int>(surface.edges.size()),
                            [&](int e) { return body_of(surface.edges[e][0]); });
}

Triangles BodySurfaces::triangles(int body) const {
  return part_of(scene_.model.surface.triangles, first_triangle_, body);
}
Edges BodySurfaces::edges(int body) const {
  return part_of(scene_.model.surface.edges, first_edge_, body);
}
int BodySurfaces::num_vertices(int body) const {
  const std::size_t b = body;
  return first_vertex_[b + 1] - first_vertex_[b];
}

bool BodySurfaces::can_touch(int body_a, int body_b) const {
  if (num_vertices(body_a) == 0 || num_vertices(body_b) == 0) return false;
  return scene_.model.surface.can_touch(first_vertex(body_a), first_vertex(body_b));
}

double BodySurfaces::area(int body) const {
  double sum = 0.0;
  if (scene_.dim == 2) {
    for (const auto& [a, b] : edges(body)) sum += (position(b) - position(a)).norm();
  } else {
    for (const auto& [a, b, c] : triangles(body)) {
      sum += 0.5 * cross_product(position(b) - position(a), position(c) - position(a)).norm();
    }
  }
  return sum;
}

}  // namespace clearance
