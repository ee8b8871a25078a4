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
