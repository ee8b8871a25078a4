#include "clearance/verify/surface.h"

#include <algorithm>
#include <tuple>

#include "clearance/geometry/curved_cells.h"

namespace clearance::verify {
namespace {

/// A face or edge with its sorted vertices in front, so that equal ones become neighbours.
template <std::size_t n>
struct Side {
  std::array<int, n> key;
  std::array<int, n> vertices;
  int body;

  Side(const std::array<int, n>& v, int b) : key(v), vertices(v), body(b) { std::sort(key.begin(), key.end()); }
  bool operator<(const Side& other) const { return std::tie(key, vertices) < std::tie(other.key, other.vertices); }
};

/// The sides that occur once (`is_boundary`) or at all, in sorted order.
template <std::size_t n>
std::vector<Side<n>> select_sides(std::vector<Side<n>> sides, bool is_boundary) {
  std::sort(sides.begin(), sides.end());
  std::vector<Side<n>> selected;
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    while (end < sides.size() && sides[end].key == sides[begin].key) ++end;
    if (!is_boundary || end - begin == 1) selected.push_back(sides[begin]);
  }
  return selected;
}

/// Returns, per body, 1 if it has elements and a surface of its own beside them (3D: triangles, 2D: edges), which then
/// touches others.
std::vector<char> find_own_surfaces(const Mesh& mesh, const std::vector<int>& cell_body) {
  std::vector<char> has_elements, has_own;
  const std::size_t first = mesh.num_solid_cells() + (mesh.dim == 3 ? 0 : mesh.tets.size());
  const std::size_t count = mesh.dim == 3 ? mesh.triangles.size() : mesh.edges.size();
  int num_bodies = 0;
  for (const int body : cell_body) num_bodies = std::max(num_bodies, body + 1);
  has_elements.resize(num_bodies, 0);
  has_own = has_elements;
  for (std::size_t cell = 0; cell < first; ++cell) has_elements[cell_body[cell]] = 1;
  for (std::size_t cell = first; cell < first + count; ++cell) {
    has_own[cell_body[cell]] = has_elements[cell_body[cell]];
  }
  return has_own;
}

std::vector<Side<3>> find_curved_surface(const Mesh& mesh, const std::vector<int>& vertex_body,
                                         const std::vector<char>& has_own) {
  std::vector<Side<3>> surface;
  for (const auto& triangle : boundary_triangles(mesh)) {
    const int body = vertex_body[triangle[0]];
    if (!has_own[body]) surface.emplace_back(triangle, body);
  }
  for (const auto& triangle : mesh.triangles) surface.emplace_back(triangle, vertex_body[triangle[0]]);
  return surface;
}

std::vector<Side<3>> find_surface_triangles(const Mesh& mesh, const std::vector<int>& cell_body,
                                            const std::vector<int>& vertex_body, const std::vector<char>& has_own) {
  if (mesh.has_curved_cells()) return find_curved_surface(mesh, vertex_body, has_own);
  std::vector<Side<3>> faces;
  faces.reserve(4 * mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const auto& v = mesh.tets[t];
    if (has_own[cell_body[t]]) continue;
    for (const auto& face : {std::array{v[1], v[2], v[3]}, std::array{v[0], v[3], v[2]}, std::array{v[0], v[1], v[3]},
                             std::array{v[0], v[2], v[1]}}) {
      faces.emplace_back(face, cell_body[t]);
    }
  }
  std::vector<Side<3>> surface = select_sides(std::move(faces), true);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    surface.emplace_back(mesh.triangles[t], cell_body[mesh.tets.size() + t]);
  }
  return surface;
}

std::vector<Side<2>> edges_of(const std::array<int, 3>& v, int body) {
  return {{{v[0], v[1]}, body}, {{v[1], v[2]}, body}, {{v[2], v[0]}, body}};
}

std::vector<int> find_vertex_bodies(const Mesh& mesh, const std::vector<int>& cell_body) {
  std::vector<int> vertex_body(mesh.vertices.size(), -1);
  std::size_t cell = 0;
  const auto mark = [&](const auto& cells) {
    for (const auto& vertices : cells) {
      for (const int v : vertices) vertex_body[v] = cell_body[cell];
      ++cell;
    }
  };
  mark(mesh.tets);
  mark(mesh.triangles);
  mark(mesh.edges);
  for (const int v : mesh.points) vertex_body[v] = cell_body[cell++];
  // Solid elements are the first cells.
  for (std::size_t solid = 0; solid < mesh.num_solid_cells(); ++solid) {
    for (const int v : mesh.nodes_of_cell(solid)) vertex_body[v] = cell_body[solid];
  }
  return vertex_body;
}

/// Finds the edges of the triangles of a plane mesh, as far as they may be outlines.
std::vector<Side<2>> find_plane_edges(const Mesh& mesh, const std::vector<int>& cell_body,
                                      const VerifySurface& surface) {
  const std::vector<char>& has_own = surface.has_own;
  std::vector<Side<2>> edges;
  if (mesh.has_curved_cells()) {
    for (const auto& edge : boundary_edges(mesh)) {
      const int body = surface.vertex_body[edge[0]];
      if (!has_own[body]) edges.emplace_back(edge, body);
    }
  } else {
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      if (has_own[cell_body[mesh.tets.size() + t]]) continue;
      for (const Side<2>& edge : edges_of(mesh.triangles[t], cell_body[mesh.tets.size() + t])) edges.push_back(edge);
    }
  }
  return edges;
}

/// Sets the edges of the surface, and the vertices that they use.
void set_edges(const std::vector<Side<2>>& edges, std::size_t num_vertices, VerifySurface& surface) {
  std::vector<char> is_used(num_vertices, 0);
  for (const Side<2>& edge : edges) {
    surface.edges.push_back(edge.vertices);
    surface.edge_body.push_back(edge.body);
    for (const int v : edge.vertices) is_used[v] = 1;
  }
  for (std::size_t v = 0; v < is_used.size(); ++v) {
    if (is_used[v]) surface.vertices.push_back(static_cast<int>(v));
  }
}

}  // namespace

VerifySurface build_verify_surface(const Frame& frame) {
  const Mesh& mesh = frame.mesh;
  const std::size_t num_cells = mesh.tets.size() + mesh.triangles.size() + mesh.edges.size() + mesh.points.size();
  std::vector<int> cell_body = frame.cell_body;
  cell_body.resize(num_cells, 0);

  VerifySurface surface;
  surface.vertex_body = find_vertex_bodies(mesh, cell_body);
  surface.has_own = find_own_surfaces(mesh, cell_body);
  const std::vector<char>& has_own = surface.has_own;
  std::vector<Side<2>> edges;
  if (mesh.dim == 3) {
    for (const Side<3>& triangle : find_surface_triangles(mesh, cell_body, surface.vertex_body, has_own)) {
      surface.triangles.push_back(triangle.vertices);
      surface.triangle_body.push_back(triangle.body);
      for (const Side<2>& edge : edges_of(triangle.vertices, triangle.body)) edges.push_back(edge);
    }
  } else {
    edges = find_plane_edges(mesh, cell_body, surface);
  }
  // In space every edge of a triangle counts once, in the plane those of exactly one triangle.
  edges = select_sides(std::move(edges), mesh.dim == 2);
  const std::size_t first_edge = mesh.tets.size() + mesh.triangles.size();
  const auto is_outline = [&](std::size_t e) { return mesh.dim == 2 && has_own[cell_body[first_edge + e]] != 0; };
  std::size_t num_outline_edges = 0;
  for (const bool wanted : {true, false}) {
    for (std::size_t e = 0; e < mesh.edges.size(); ++e) {
      if (is_outline(e) != wanted) continue;
      edges.emplace_back(mesh.edges[e], cell_body[first_edge + e]);
      num_outline_edges += wanted ? 1 : 0;
    }
  }
  std::size_t cell = first_edge + mesh.edges.size();
  for (const int point : mesh.points) edges.emplace_back(std::array{point, point}, cell_body[cell++]);
  surface.num_codim_edges = static_cast<int>(mesh.edges.size() - num_outline_edges + mesh.points.size());

  set_edges(edges, mesh.vertices.size(), surface);
  return surface;
}

bool has_same_cells(const Frame& a, const Frame& b) {
  return a.mesh.dim == b.mesh.dim && a.mesh.vertices.size() == b.mesh.vertices.size() && a.mesh.tets == b.mesh.tets &&
         a.mesh.triangles == b.mesh.triangles && a.mesh.edges == b.mesh.edges && a.mesh.points == b.mesh.points &&
         a.mesh.cell_nodes == b.mesh.cell_nodes && a.mesh.first_cell_node == b.mesh.first_cell_node &&
         a.cell_body == b.cell_body;
}

}  // namespace clearance::verify
