#include "clearance/geometry/mesh_checks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/curved_volume.h"
#include "clearance/geometry/disjoint_sets.h"
#include "clearance/geometry/distance.h"

namespace clearance {

namespace {

/// One side of a triangle: the sorted edge, and whether the triangle runs along it from the smaller to the larger
/// vertex.
struct Side {
  std::array<int, 2> edge;
  int triangle;
  bool is_forward;
};

/// Returns the sides of all triangles with three different vertices; equal edges are adjacent.
std::vector<Side> sorted_sides(const Triangles& triangles, std::vector<int>& collapsed) {
  std::vector<Side> sides;
  sides.reserve(3 * triangles.size());
  for (int f = 0; f < static_cast<int>(triangles.size()); ++f) {
    const auto& [a, b, c] = triangles[f];
    if (a == b || b == c || c == a) {
      collapsed.push_back(f);
      continue;
    }
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, c}, std::pair{c, a}}) {
      sides.push_back({{std::min(from, to), std::max(from, to)}, f, from < to});
    }
  }
  std::sort(sides.begin(), sides.end(),
            [](const Side& a, const Side& b) { return std::pair(a.edge, a.triangle) < std::pair(b.edge, b.triangle); });
  return sides;
}

/// Returns the corner of triangle f at vertex v, as an index into all corners.
int corner_of(const Triangles& triangles, int f, int v) {
  const auto& triangle = triangles[f];
  return 3 * f + (triangle[0] == v ? 0 : triangle[1] == v ? 1 : 2);
}

/// Returns the vertices whose corners, joined across shared edges, form more than one fan.
std::vector<int> find_pinched_vertices(const Triangles& triangles, const std::vector<Side>& sides) {
  DisjointSets fans(3 * triangles.size());
  for (std::size_t i = 1; i < sides.size(); ++i) {
    if (sides[i].edge != sides[i - 1].edge) continue;
    for (const int v : sides[i].edge) {
      fans.join(corner_of(triangles, sides[i - 1].triangle, v), corner_of(triangles, sides[i].triangle, v));
    }
  }
  std::vector<std::pair<int, int>> vertex_fans;
  for (const Side& side : sides) {
    for (const int v : side.edge) vertex_fans.emplace_back(v, fans.root(corner_of(triangles, side.triangle, v)));
  }
  std::sort(vertex_fans.begin(), vertex_fans.end());
  vertex_fans.erase(std::unique(vertex_fans.begin(), vertex_fans.end()), vertex_fans.end());

  std::vector<int> pinched;
  for (std::size_t i = 1; i < vertex_fans.size(); ++i) {
    const int v = vertex_fans[i].first;
    if (v == vertex_fans[i - 1].first && (pinched.empty() || pinched.back() != v)) pinched.push_back(v);
  }
  return pinched;
}

/// Returns twice the area vector.
Vec<3> area_vector(const Vec<3>& v0, const Vec<3>& v1, const Vec<3>& v2) {
  return cross_product(v1 - v0, v2 - v0);
}

template <std::size_t n>
double longest_edge(const Mesh& mesh, const std::array<int, n>& element) {
  double longest_sq = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Vec<3> edge = mesh.vertices[element[i]] - mesh.vertices[element[j]];
      longest_sq = std::max(longest_sq, edge.squaredNorm());
    }
  }
  return std::sqrt(longest_sq);
}

/// Returns the invalid cells among those that have nodes besides their corners, in order.
template <int dim>
std::vector<int> invalid_curved_cells(const Mesh& mesh) {
  std::vector<int> invalid;
  std::map<int, CurvedVolume<dim>> of_order;
  std::vector<double> x;
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
    const std::span<const int> nodes = mesh.nodes_of_cell(cell);
    if (nodes.empty()) continue;
    x.clear();
    for (const int v : nodes) {
      const Vec<3>& place = mesh.vertices[v];
      x.insert(x.end(), place.data(), place.data() + dim);
    }
    const CurvedVolume<dim>& volume =
        of_order.try_emplace(mesh.order_of_cell(cell), mesh.order_of_cell(cell)).first->second;
    if (!volume.is_valid(x)) invalid.push_back(static_cast<int>(cell));
  }
  return invalid;
}

}  // namespace

SurfaceDefects find_surface_defects(const Triangles& triangles) {
  SurfaceDefects defects;
  const std::vector<Side> sides = sorted_sides(triangles, defects.collapsed_triangles);
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    while (end < sides.size() && sides[end].edge == sides[begin].edge) ++end;
    const std::array<int, 2>& edge = sides[begin].edge;
    if (end - begin == 1) defects.open_edges.push_back(edge);
    if (end - begin > 2) defects.crowded_edges.push_back(edge);
    if (end - begin == 2 && sides[begin].is_forward == sides[begin + 1].is_forward) {
      defects.inconsistent_edges.push_back(edge);
    }
  }
  defects.pinched_vertices = find_pinched_vertices(triangles, sides);
  return defects;
}

bool is_closed_manifold(const Triangles& triangles) {
  return find_surface_defects(triangles).is_closed_manifold();
}

bool is_closed_outline(const Edges& edges) {
  std::map<int, int> balance;
  for (const auto& [a, b] : edges) {
    --balance[a];
    ++balance[b];
  }
  return std::all_of(balance.begin(), balance.end(), [](const auto& entry) { return entry.second == 0; });
}

int euler_characteristic(const Triangles& triangles) {
  std::vector<int> vertices;
  for (const auto& triangle : triangles) vertices.insert(vertices.end(), triangle.begin(), triangle.end());
  std::sort(vertices.begin(), vertices.end());
  const auto num_vertices = std::unique(vertices.begin(), vertices.end()) - vertices.begin();
  return static_cast<int>(num_vertices) - static_cast<int>(unique_edges(triangles).size()) +
         static_cast<int>(triangles.size());
}

std::vector<int> connected_components(const Mesh& mesh) {
  DisjointSets sets(mesh.vertices.size());
  const auto join_all = [&](const auto& elements) {
    for (const auto& element : elements) {
      for (const int v : element) sets.join(element[0], v);
    }
  };
  join_all(mesh.tets);
  join_all(mesh.triangles);
  join_all(mesh.edges);
  for (std::size_t cell = 0; cell < mesh.num_solid_cells() && mesh.has_curved_cells(); ++cell) {
    for (const int v : mesh.nodes_of_cell(cell)) sets.join(mesh.nodes_of_cell(cell)[0], v);
  }

  // Roots are the smallest of their set, so they precede their members.
  std::vector<int> component(mesh.vertices.size());
  int num_components = 0;
  for (int v = 0; v < static_cast<int>(component.size()); ++v) {
    const int root = sets.root(v);
    component[v] = root == v ? num_components++ : component[root];
  }
  return component;
}

double tet_volume(const Vec<3>& v0, const Vec<3>& v1, const Vec<3>& v2, const Vec<3>& v3) {
  return area_vector(v0, v1, v2).dot(v3 - v0) / 6.0;
}

void orient_positively(Mesh& mesh) {
  const auto at = [&](int v) -> const Vec<3>& { return mesh.vertices[v]; };
  for (std::size_t e = 0; e < mesh.tets.size(); ++e) {
    const auto& [a, b, c, d] = mesh.tets[e];
    if (tet_volume(at(a), at(b), at(c), at(d)) < 0.0) flip_cell(mesh, e);
  }
}

ElementDefects find_element_defects(const Mesh& mesh, double relative_volume) {
  ElementDefects defects;
  const auto at = [&](int v) -> const Vec<3>& { return mesh.vertices[v]; };
  const auto is_curved = [&](int cell) { return mesh.has_curved_cells() && !mesh.nodes_of_cell(cell).empty(); };
  for (int e = 0; e < static_cast<int>(mesh.tets.size()); ++e) {
    if (is_curved(e)) continue;
    const auto& tet = mesh.tets[e];
    const double length = longest_edge(mesh, tet);
    const double volume = tet_volume(at(tet[0]), at(tet[1]), at(tet[2]), at(tet[3]));
    // The condition is negated so that a NaN counts as flat.
    if (!(std::abs(volume) > relative_volume * length * length * length)) {
      defects.flat_tets.push_back(e);
    } else if (volume < 0.0) {
      defects.inverted_tets.push_back(e);
    }
  }
  for (int e = 0; e < static_cast<int>(mesh.triangles.size()); ++e) {
    if (mesh.dim == 2 && is_curved(e)) continue;
    const auto& triangle = mesh.triangles[e];
    const double length = longest_edge(mesh, triangle);
    const Vec<3> area = area_vector(at(triangle[0]), at(triangle[1]), at(triangle[2]));
    if (!(0.5 * area.norm() > relative_volume * length * length)) {
      defects.flat_triangles.push_back(e);
    } else if (mesh.dim == 2 && area[2] < 0.0) {
      defects.inverted_triangles.push_back(e);
    }
  }
  if (mesh.has_curved_cells()) {
    std::vector<int>& inverted = mesh.dim == 2 ? defects.inverted_triangles : defects.inverted_tets;
    const std::vector<int> curved = mesh.dim == 2 ? invalid_curved_cells<2>(mesh) : invalid_curved_cells<3>(mesh);
    inverted.insert(inverted.end(), curved.begin(), curved.end());
    std::sort(inverted.begin(), inverted.end());
  }
  for (int e = 0; e < static_cast<int>(mesh.edges.size()); ++e) {
    const auto& edge = mesh.edges[e];
    if (!((at(edge[1]) - at(edge[0])).squaredNorm() > 0.0)) defects.zero_edges.push_back(e);
  }
  return defects;
}

}  // namespace clearance
