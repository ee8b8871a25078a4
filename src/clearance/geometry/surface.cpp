#include "clearance/geometry/surface.h"

#include <algorithm>
#include <utility>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/element_corners.h"

namespace clearance {

int SurfaceTopology::num_bodies() const {
  const auto last = std::max_element(vertex_body.begin(), vertex_body.end());
  return std::max({1, static_cast<int>(body_names.size()), last == vertex_body.end() ? 0 : *last + 1});
}

std::string SurfaceTopology::body_label(int vertex) const {
  const std::size_t body = vertex_body[vertex];
  return body < body_names.size() ? "'" + body_names[body] + "'" : "body " + std::to_string(body);
}

namespace {

/// Returns the elements that no other element equals as a set of vertices, in their order.
template <std::size_t n>
std::vector<std::array<int, n>> without_duplicates(const std::vector<std::array<int, n>>& elements) {
  std::vector<std::pair<std::array<int, n>, std::size_t>> keys(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    keys[i] = {elements[i], i};
    std::sort(keys[i].first.begin(), keys[i].first.end());
  }
  std::sort(keys.begin(), keys.end());

  std::vector<char> is_single(elements.size(), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool equals_last = i > 0 && keys[i - 1].first == keys[i].first;
    const bool equals_next = i + 1 < keys.size() && keys[i + 1].first == keys[i].first;
    is_single[keys[i].second] = !equals_last && !equals_next;
  }
  std::vector<std::array<int, n>> singles;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (is_single[i]) singles.push_back(elements[i]);
  }
  return singles;
}

Edges directed_edges(const Triangles& triangles) {
  Edges edges;
  edges.reserve(3 * triangles.size());
  for (const auto& [a, b, c] : triangles) edges.insert(edges.end(), {{a, b}, {b, c}, {c, a}});
  return edges;
}

}  // namespace

Triangles boundary_triangles(const std::vector<std::array<int, 4>>& tets) {
  Triangles faces;
  faces.reserve(4 * tets.size());
  for (const auto& tet : tets) {
    for (const auto& [a, b, c] : outward_faces) faces.push_back({tet[a], tet[b], tet[c]});
  }
  return without_duplicates(faces);
}

Edges boundary_edges(const Triangles& triangles) {
  return without_duplicates(directed_edges(triangles));
}

Edges unique_edges(const Triangles& triangles) {
  Edges edges = directed_edges(triangles);
  for (auto& edge : edges) std::sort(edge.begin(), edge.end());
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

void turn_around(Triangles& triangles) {
  for (auto& triangle : triangles) std::swap(triangle[1], triangle[2]);
}

std::vector<int> drop_unused_vertices(Mesh& mesh) {
  std::vector<int> new_number(mesh.vertices.size(), -1);
  for_each_corner(mesh, [&](int& v) { new_number[v] = 0; });

  std::vector<int> old_number;
  std::vector<Vec<3>> kept;
  for (std::size_t v = 0; v < new_number.size(); ++v) {
    if (new_number[v] < 0) continue;
    new_number[v] = static_cast<int>(kept.size());
    old_number.push_back(static_cast<int>(v));
    kept.push_back(mesh.vertices[v]);
  }
  mesh.vertices = std::move(kept);
  for_each_corner(mesh, [&](int& v) { v = new_number[v]; });
  return old_number;
}

Mesh with_boundary_only(const Mesh& mesh) {
  Mesh surface = mesh;
  surface.tets.clear();
  surface.cell_nodes.clear();
  surface.first_cell_node.clear();
  if (mesh.dim == 2) {
    const Edges boundary = boundary_edges(mesh);
    surface.triangles.clear();
    surface.edges.insert(surface.edges.end(), boundary.begin(), boundary.end());
  } else {
    const Triangles boundary = boundary_triangles(mesh);
    surface.triangles.insert(surface.triangles.end(), boundary.begin(), boundary.end());
  }
  return surface;
}

Mesh surface_of(const Mesh& mesh) {
  Mesh surface = with_boundary_only(mesh);
  drop_unused_vertices(surface);
  return surface;
}

}  // namespace clearance
