#include "clearance/verify/surface.h"

#include <algorithm>
#include <tuple>

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

std::vector<Side<3>> find_surface_triangles(const Mesh& mesh, const std::vector<int>& cell_body) {
  std::vector<Side<3>> faces;
  faces.reserve(4 * mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const auto& v = mesh.tets[t];
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
  return vertex_body;
}

}  // namespace

VerifySurface build_verify_surface(const Frame& frame) {
  const Mesh& mesh = frame.mesh;
  const std::size_t num_cells = mesh.tets.size() + mesh.triangles.size() + mesh.edges.size() + mesh.points.size();
  std::vector<int> cell_body = frame.cell_body;
  cell_body.resize(num_cells, 0);

  VerifySurface surface;
  std::vector<Side<2>> edges;
  if (mesh.dim == 3) {
    for (const Side<3>& triangle : find_surface_triangles(mesh, cell_body)) {
      surface.triangles.push_back(triangle.vertices);
      surface.triangle_body.push_back(triangle.body);
      for (const Side<2>& edge : edges_of(triangle.vertices, triangle.body)) edges.push_back(edge);
    }
  } else {
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      for (const Side<2>& edge : edges_of(mesh.triangles[t], cell_body[mesh.tets.size() + t])) edges.push_back(edge);
    }
  }
  // In space every edge of a triangle counts once, in the plane those of exactly one triangle.
  edges = select_sides(std::move(edges), mesh.dim == 2);
  std::size_t cell = mesh.tets.size() + mesh.triangles.size();
  for (const auto& edge : mesh.edges) edges.emplace_back(edge, cell_body[cell++]);
  for (const int point : mesh.points) edges.emplace_back(std::array{point, point}, cell_body[cell++]);
  surface.num_codim_edges = static_cast<int>(mesh.edges.size() + mesh.points.size());

  std::vector<char> is_used(mesh.vertices.size(), 0);
  for (const Side<2>& edge : edges) {
    surface.edges.push_back(edge.vertices);
    surface.edge_body.push_back(edge.body);
    for (const int v : edge.vertices) is_used[v] = 1;
  }
  for (std::size_t v = 0; v < is_used.size(); ++v) {
    if (is_used[v]) surface.vertices.push_back(static_cast<int>(v));
  }
  surface.vertex_body = find_vertex_bodies(mesh, cell_body);
  return surface;
}

bool has_same_cells(const Frame& a, const Frame& b) {
  return a.mesh.dim == b.mesh.dim && a.mesh.vertices.size() == b.mesh.vertices.size() && a.mesh.tets == b.mesh.tets &&
         a.mesh.triangles == b.mesh.triangles && a.mesh.edges == b.mesh.edges && a.mesh.points == b.mesh.points &&
         a.cell_body == b.cell_body;
}

}  // namespace clearance::verify
