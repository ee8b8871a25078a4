#include "clearance/geometry/surface.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/distance.h"
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

double SurfaceTopology::thickness_of(std::span<const int> vertices, std::size_t num_first) const {
  if (radius.empty()) return 0.0;
  if (num_first >= vertices.size()) return radius[vertices[0]];
  const double sum = radius[vertices[0]] + radius[vertices[num_first]];
  if (sum == 0.0 || start.empty() || vertex_body[vertices[0]] != vertex_body[vertices[num_first]]) return sum;
  const auto at = [&](std::size_t i) -> const Vec<3>& { return start[vertices[i]]; };
  double distance_sq = 0.0;
  if (num_first == 2) {
    distance_sq = edge_edge_distance_sq(at(0), at(1), at(2), at(3));
  } else if (vertices.size() == 4) {
    distance_sq = point_triangle_distance_sq(at(0), at(1), at(2), at(3));
  } else if (vertices.size() == 3) {
    distance_sq = point_edge_distance_sq<3>(at(0), at(1), at(2));
  } else {
    distance_sq = point_point_distance_sq<3>(at(0), at(1));
  }
  // Without a start that is noted this is no number, and the sum counts.
  const double own = own_share_of_start * std::sqrt(distance_sq);
  return own < sum ? own : sum;
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
