#include "clearance/meshing/surface_repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "clearance/geometry/hanging_nodes.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/point_tree.h"
#include "clearance/geometry/weld.h"
#include "clearance/geometry/winding_number.h"
#include "clearance/meshing/surface_defects.h"

namespace clearance {

namespace {

constexpr double weld_share = 1e-6;  // as a share of the diagonal: the precision of a float32

/// Returns the triangles and edges alone, with the vertices that they use.
Mesh with_used_vertices(const Mesh& mesh) {
  Mesh used;
  used.dim = mesh.dim;
  used.vertices = mesh.vertices;
  used.triangles = mesh.triangles;
  used.edges = mesh.edges;
  drop_unused_vertices(used);
  return used;
}

template <std::size_t size>
void replace_corners(const std::vector<int>& stands_for, std::vector<std::array<int, size>>& elements,
                     int& num_collapsed) {
  for (auto& element : elements) {
    for (int& v : element) v = stands_for[v];
  }
  num_collapsed += static_cast<int>(std::erase_if(elements, [](auto element) {
    std::sort(element.begin(), element.end());
    return std::adjacent_find(element.begin(), element.end()) != element.end();
  }));
}

/// Replaces vertices by those that stand for them, and drops elements that collapse.
void replace_vertices(const std::vector<int>& stands_for, Mesh& mesh, int& num_replaced, int& num_collapsed) {
  for (std::size_t v = 0; v < stands_for.size(); ++v) num_replaced += stands_for[v] != static_cast<int>(v);
  replace_corners(stands_for, mesh.triangles, num_collapsed);
  replace_corners(stands_for, mesh.edges, num_collapsed);
  mesh = with_used_vertices(mesh);
}

template <std::size_t size>
void drop_repeated(std::vector<std::array<int, size>>& elements, int& num_repeated) {
  std::map<std::array<int, size>, int> seen;
  num_repeated += static_cast<int>(std::erase_if(elements, [&](auto element) {
    std::sort(element.begin(), element.end());
    return seen[element]++ > 0;
  }));
}

/// Returns, for each vertex, the vertex that it is welded to: the first one nearby that is not welded to an earlier
/// vertex.
std::vector<int> weld_near(const Vertices& vertices) {
  const double distance = weld_share * bounding_box(vertices).diagonal();
  const Vec<3> reach = Vec<3>::Constant(distance);
  const PointTree tree(vertices);
  std::vector<int> first(vertices.size(), -1);
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (first[v] >= 0) continue;
    tree.visit_box(vertices[v] - reach, vertices[v] + reach, [&](int other) {
      if (first[other] < 0) first[other] = static_cast<int>(v);
    });
  }
  return first;
}

/// Closes T-junctions. Triangles without area are dropped first, because some programs fill T-junctions with them.
void close_t_junctions(Mesh& surface, SurfaceRepairs& repairs) {
  Triangles triangles = surface.triangles;
  const auto flat =
      std::erase_if(triangles, [&](const auto& triangle) { return has_no_area(surface.vertices, triangle); });
  const int split = split_at_hanging_nodes(surface.vertices, triangles);
  const auto num_open = [](const Triangles& of) { return find_surface_defects(of).open_edges.size(); };
  if (flat + split == 0 || num_open(triangles) > num_open(surface.triangles)) return;
  repairs.flat = static_cast<int>(flat);
  repairs.split_edges = split;
  surface.triangles = std::move(triangles);
}

/// Lists, for every triangle, its neighbours across edges of exactly two triangles. A link is alike if both triangles
/// run along the edge in the same direction, so that their orientations differ.
struct Neighbours {
  struct Link {
    int triangle;
    bool is_alike;
  };
  std::vector<std::vector<Link>> of;
};

Neighbours find_neighbours(const Triangles& triangles) {
  std::map<std::array<int, 2>, std::vector<std::pair<int, bool>>> sides;
  for (int f = 0; f < static_cast<int>(triangles.size()); ++f) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = triangles[f][k], to = triangles[f][(k + 1) % 3];
      sides[{std::min(from, to), std::max(from, to)}].emplace_back(f, from < to);
    }
  }
  Neighbours neighbours{std::vector<std::vector<Neighbours::Link>>(triangles.size())};
  for (const auto& [edge, users] : sides) {
    if (users.size() != 2) continue;
    const bool is_alike = users[0].second == users[1].second;
    neighbours.of[users[0].first].push_back({users[1].first, is_alike});
    neighbours.of[users[1].first].push_back({users[0].first, is_alike});
  }
  return neighbours;
}

/// A connected set of triangles. The turned ones must be reversed so that all have the same orientation.
struct Part {
  std::vector<int> triangles;
  std::vector<bool> is_turned;
};

std::vector<Part> find_parts(const Triangles& triangles) {
  const Neighbours neighbours = find_neighbours(triangles);
  std::vector<char> is_known(triangles.size(), 0);
  std::vector<Part> parts;
  for (int seed = 0; seed < static_cast<int>(triangles.size()); ++seed) {
    if (is_known[seed] != 0) continue;
    Part part{{seed}, {false}};
    is_known[seed] = 1;
    for (std::size_t i = 0; i < part.triangles.size(); ++i) {
      for (const auto& [other, is_alike] : neighbours.of[part.triangles[i]]) {
        if (std::exchange(is_known[other], char{1}) != 0) continue;
        part.triangles.push_back(other);
        part.is_turned.push_back(part.is_turned[i] != is_alike);
      }
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

Triangles triangles_of(const Part& part, const Triangles& triangles) {
  Triangles turned;
  for (std::size_t i = 0; i < part.triangles.size(); ++i) {
    const auto& [a, b, c] = triangles[part.triangles[i]];
    turned.push_back(part.is_turned[i] ? std::array{a, c, b} : std::array{a, b, c});
  }
  return turned;
}

/// Returns the corners in cyclic order from the smallest one. Triangles of the same orientation then compare equal.
std::array<int, 3> from_smallest(std::array<int, 3> triangle) {
  std::rotate(triangle.begin(), std::min_element(triangle.begin(), triangle.end()), triangle.end());
  return triangle;
}

/// A part, oriented outwards if it is closed.
struct Shell {
  Triangles triangles;
  BoundingBox box;
  bool is_closed = false;
};

bool holds(const BoundingBox& outer, const BoundingBox& inner) {
  return (outer.min.array() <= inner.min.array()).all() && (outer.max.array() >= inner.max.array()).all();
}

bool is_cavity(const std::vector<Shell>& shells, std::size_t which, const Vertices& vertices) {
  if (!shells[which].is_closed) return false;
  const Vec<3>& point = vertices[shells[which].triangles.front()[0]];
  int num_around = 0;
  for (std::size_t other = 0; other < shells.size(); ++other) {
    if (other == which || !shells[other].is_closed || !holds(shells[other].box, shells[which].box)) continue;
    num_around += winding_number(point, vertices, shells[other].triangles).value_or(0) != 0 ? 1 : 0;
  }
  return num_around % 2 == 1;
}

void orient(Mesh& mesh, SurfaceRepairs& repairs) {
  std::vector<Shell> shells;
  const std::vector<Part> parts = find_parts(mesh.triangles);
  for (const Part& part : parts) {
    Shell shell{triangles_of(part, mesh.triangles), {}, false};
    for (const auto& triangle : shell.triangles) {
      for (const int v : triangle) shell.box.extend(mesh.vertices[v]);
    }
    shell.is_closed = is_closed_manifold(shell.triangles);
    if (mass_properties_of_solid(mesh.vertices, shell.triangles).measure < 0.0) turn_around(shell.triangles);
    shells.push_back(std::move(shell));
  }
  for (std::size_t s = 0; s < shells.size(); ++s) {
    Triangles oriented = shells[s].triangles;
    if (is_cavity(shells, s, mesh.vertices)) {
      ++repairs.num_cavities;
      turn_around(oriented);
    }
    for (std::size_t i = 0; i < oriented.size(); ++i) {
      auto& triangle = mesh.triangles[parts[s].triangles[i]];
      repairs.turned_triangles += from_smallest(triangle) == from_smallest(oriented[i]) ? 0 : 1;
      triangle = oriented[i];
    }
  }
}

}  // namespace

std::string to_string(const SurfaceRepairs& repairs) {
  std::string text;
  const auto add = [&](int count, const char* one, const char* several, const char* done) {
    if (count == 0) return;
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", count, count == 1 ? one : several, done);
  };
  add(repairs.welded_vertices, "vertex", "vertices", "welded to others in the same place");
  add(repairs.near_vertices, "vertex", "vertices", "welded to others within a millionth of the size");
  add(repairs.collapsed, "element", "elements", "dropped that had two corners in one place");
  add(repairs.repeated, "element", "elements", "dropped that were there twice");
  add(repairs.flat, "triangle", "triangles", "without area dropped");
  add(repairs.split_edges, "edge", "edges", "split at vertices of other triangles in them");
  add(repairs.turned_triangles, "triangle", "triangles", "turned around");
  add(repairs.closed_holes, "hole", "holes", "closed");
  return text;
}

void close_holes(RepairedSurface& surface) {
  Mesh& mesh = surface.mesh;
  // Per vertex, the ends of the directed edges that would close its open edges.
  std::multimap<int, int> next;
  std::map<std::array<int, 2>, int> balance;
  for (const auto& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      ++balance[{t[k], t[(k + 1) % 3]}];
      --balance[{t[(k + 1) % 3], t[k]}];
    }
  }
  for (const auto& [edge, count] : balance) {
    if (count < 0) next.emplace(edge[0], edge[1]);
  }
  while (!next.empty()) {
    std::vector<int> loop = {next.begin()->first};
    for (auto step = next.begin(); step != next.end(); step = next.find(loop.back())) {
      loop.push_back(step->second);
      next.erase(step);
    }
    if (loop.size() < 4 || loop.front() != loop.back()) continue;
    loop.pop_back();
    ++surface.repairs.closed_holes;
    if (loop.size() == 3) {
      mesh.triangles.push_back({loop[0], loop[1], loop[2]});
      continue;
    }
    Vec<3> middle = Vec<3>::Zero();
    for (const int v : loop) middle += mesh.vertices[v] / static_cast<double>(loop.size());
    const int top = static_cast<int>(mesh.vertices.size());
    mesh.vertices.push_back(middle);
    for (std::size_t k = 0; k < loop.size(); ++k) mesh.triangles.push_back({loop[k], loop[(k + 1) % loop.size()], top});
  }
}

RepairedSurface repair_surface(const Mesh& mesh) {
  RepairedSurface repaired;
  SurfaceRepairs& repairs = repaired.repairs;
  Mesh& surface = repaired.mesh;
  surface.vertices = mesh.vertices;
  surface.triangles = mesh.triangles;
  surface = with_used_vertices(surface);
  replace_vertices(weld(surface.vertices), surface, repairs.welded_vertices, repairs.collapsed);
  if (!find_surface_defects(surface.triangles).open_edges.empty()) {
    replace_vertices(weld_near(surface.vertices), surface, repairs.near_vertices, repairs.collapsed);
  }
  drop_repeated(surface.triangles, repairs.repeated);
  close_t_junctions(surface, repairs);
  surface = with_used_vertices(surface);
  orient(surface, repairs);
  return repaired;
}

RepairedSurface repair_outline(const Mesh& mesh) {
  RepairedSurface repaired;
  Mesh& outline = repaired.mesh;
  outline.dim = 2;
  outline.vertices = mesh.vertices;
  outline.edges = mesh.edges;
  outline = with_used_vertices(outline);
  replace_vertices(weld(outline.vertices), outline, repaired.repairs.welded_vertices, repaired.repairs.collapsed);
  drop_repeated(outline.edges, repaired.repairs.repeated);
  outline = with_used_vertices(outline);
  return repaired;
}

}  // namespace clearance
