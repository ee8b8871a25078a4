#include "clearance/meshing/surface_defects.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/geometry/intersection.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/math/predicates.h"

namespace clearance {

namespace {

const Vec<3>& position(const Mesh& mesh, int v) {
  return mesh.vertices[v];
}

Vec<2> along(const Vec<3>& x, int axis) {
  return {x[(axis + 1) % 3], x[(axis + 2) % 3]};
}

/// Returns the orientation of a triangle as seen along an axis.
int turn(const Vertices& vertices, int axis, int a, int b, int c) {
  const auto seen = [&](int v) { return along(vertices[v], axis); };
  return orient2d(seen(a), seen(b), seen(c));
}

/// True if the triangles a b c and a b d overlap in one plane.
bool is_folded(const Mesh& mesh, int a, int b, int c, int d) {
  if (orient3d(position(mesh, a), position(mesh, b), position(mesh, c), position(mesh, d)) != 0) return false;
  for (int axis = 0; axis < 3; ++axis) {
    const int side = turn(mesh.vertices, axis, a, b, c);
    if (side != 0) return side == turn(mesh.vertices, axis, a, b, d);
  }
  return false;
}

void find_folds(const Mesh& mesh, SelfIntersections& found) {
  std::map<std::array<int, 2>, std::vector<int>> opposite;
  for (const auto& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(t[k], t[(k + 1) % 3]);
      opposite[{low, high}].push_back(t[(k + 2) % 3]);
    }
  }
  for (const auto& [edge, corners] : opposite) {
    if (corners.size() != 2 || !is_folded(mesh, edge[0], edge[1], corners[0], corners[1])) continue;
    if (found.count++ == 0) found.place = position(mesh, edge[0]);
  }
}

/// Returns the mesh as the topology of one body that may touch itself.
SurfaceTopology topology_of(const Mesh& mesh) {
  SurfaceTopology topology;
  topology.num_vertices = static_cast<int>(mesh.vertices.size());
  topology.edges = mesh.dim == 2 ? mesh.edges : unique_edges(mesh.triangles);
  if (mesh.dim == 3) topology.triangles = mesh.triangles;
  topology.vertex_body.assign(mesh.vertices.size(), 0);
  topology.vertex_group.assign(mesh.vertices.size(), -1);
  return topology;
}

bool do_meet(const Mesh& mesh, const SurfaceTopology& topology, const std::array<int, 2>& pair) {
  const auto at = [&](int v) -> const Vec<3>& { return position(mesh, v); };
  const auto& [a, b] = topology.edges[pair[0]];
  if (mesh.dim == 2) {
    const auto& [c, d] = topology.edges[pair[1]];
    return edges_intersect(Vec<2>(at(a).head<2>()), at(b).head<2>(), at(c).head<2>(), at(d).head<2>());
  }
  const auto& t = topology.triangles[pair[1]];
  return edge_intersects_triangle(at(a), at(b), at(t[0]), at(t[1]), at(t[2]));
}

/// A list of defects in words, such as `12 open edges, the first at (0, 0, 1)`.
class Description {
 public:
  explicit Description(const Mesh& mesh) : mesh_(mesh) {}

  void add(std::size_t count, const char* one, const char* several, const Vec<3>& place) {
    if (count == 0) return;
    text += fmt::format("{}{} {}, the first at ({:.6g}, {:.6g}, {:.6g})", text.empty() ? "" : "; ", count,
                        count == 1 ? one : several, place[0], place[1], place[2]);
  }
  void add(const Edges& edges, const char* one, const char* several) {
    if (!edges.empty()) add(edges.size(), one, several, position(mesh_, edges.front()[0]));
  }

  std::string text;

 private:
  const Mesh& mesh_;
};

}  // namespace

bool has_no_area(const Vertices& vertices, const std::array<int, 3>& triangle) {
  const auto& [a, b, c] = triangle;
  return turn(vertices, 0, a, b, c) == 0 && turn(vertices, 1, a, b, c) == 0 && turn(vertices, 2, a, b, c) == 0;
}

SelfIntersections find_self_intersections(const Mesh& surface) {
  SelfIntersections found;
  const SurfaceTopology topology = topology_of(surface);
  VecX x(surface.dim * topology.num_vertices);
  for (int v = 0; v < topology.num_vertices; ++v) {
    x.segment(surface.dim * v, surface.dim) = position(surface, v).head(surface.dim);
  }
  const auto broad_phase = make_broad_phase(surface.dim, topology);
  for (const auto& pair : broad_phase->find_intersection_candidates(x)) {
    if (!do_meet(surface, topology, pair)) continue;
    const auto& edge = topology.edges[pair[0]];
    if (found.count++ == 0) found.place = 0.5 * (position(surface, edge[0]) + position(surface, edge[1]));
  }
  if (surface.dim == 3) find_folds(surface, found);
  return found;
}

std::string describe_surface_defects(const Mesh& surface) {
  Description description(surface);
  const SurfaceDefects defects = find_surface_defects(surface.triangles);
  description.add(defects.open_edges, "open edge", "open edges");
  description.add(defects.crowded_edges, "edge with more than two triangles", "edges with more than two triangles");
  description.add(defects.inconsistent_edges, "edge whose triangles look to different sides",
                  "edges whose triangles look to different sides");
  const auto& pinched = defects.pinched_vertices;
  if (!pinched.empty())
    description.add(pinched.size(), "pinched vertex", "pinched vertices", position(surface, pinched.front()));
  std::size_t num_flat = 0;
  Vec<3> first_flat = Vec<3>::Zero();
  for (const auto& triangle : surface.triangles) {
    if (has_no_area(surface.vertices, triangle) && num_flat++ == 0) first_flat = position(surface, triangle[0]);
  }
  description.add(num_flat, "triangle without area", "triangles without area", first_flat);
  const SelfIntersections met = find_self_intersections(surface);
  description.add(met.count, "intersection", "intersections", met.place);
  return description.text;
}

std::string describe_outline_defects(const Mesh& outline) {
  Description description(outline);
  std::map<int, int> num_edges;
  for (const auto& edge : outline.edges) {
    for (const int v : edge) ++num_edges[v];
  }
  const auto count_vertices = [&](auto is_odd, const char* one, const char* several) {
    const auto count = std::count_if(num_edges.begin(), num_edges.end(), is_odd);
    const auto first = std::find_if(num_edges.begin(), num_edges.end(), is_odd);
    if (count > 0) description.add(count, one, several, position(outline, first->first));
  };
  count_vertices([](const auto& entry) { return entry.second == 1; }, "open end", "open ends");
  count_vertices([](const auto& entry) { return entry.second > 2; }, "branching point", "branching points");
  const SelfIntersections met = find_self_intersections(outline);
  description.add(met.count, "crossing", "crossings", met.place);
  return description.text;
}

}  // namespace clearance
