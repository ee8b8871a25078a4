#include "clearance/io/robot/robot_overlaps.h"

#include <algorithm>
#include <memory>
#include <set>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/geometry/intersection.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/winding_number.h"

namespace clearance {

namespace {

using Pair = std::array<int, 2>;

/// All meshes joined into one surface, each as a body of it.
struct Surface {
  SurfaceTopology topology;
  Vertices vertices;
};

Surface join(const std::vector<Mesh>& meshes) {
  Surface surface;
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    const Mesh& mesh = meshes[m];
    const int first = surface.topology.num_vertices;
    surface.vertices.insert(surface.vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
    surface.topology.num_vertices += static_cast<int>(mesh.vertices.size());
    surface.topology.vertex_body.resize(surface.vertices.size(), static_cast<int>(m));
    surface.topology.vertex_group.resize(surface.vertices.size(), static_cast<int>(m));
    for (const auto& [a, b, c] : mesh.triangles)
      surface.topology.triangles.push_back({first + a, first + b, first + c});
    for (const auto& [a, b] : unique_edges(mesh.triangles)) surface.topology.edges.push_back({first + a, first + b});
  }
  return surface;
}

bool holds(const Mesh& outer, const BoundingBox& box, const Vec<3>& point) {
  if ((point.array() < box.min.array()).any() || (point.array() > box.max.array()).any()) return false;
  if (!find_surface_defects(outer.triangles).open_edges.empty()) return false;
  return winding_number(point, outer.vertices, outer.triangles).value_or(0) != 0;
}

}  // namespace

std::vector<Pair> find_overlaps(const std::vector<Mesh>& meshes, const std::vector<int>& mechanism,
                                const std::vector<Pair>& ignored) {
  Surface surface = join(meshes);
  const auto counts = [&](int a, int b) {
    return a != b && mechanism[a] == mechanism[b] &&
           !std::binary_search(ignored.begin(), ignored.end(), Pair{std::min(a, b), std::max(a, b)});
  };
  std::set<Pair> found;
  VecX x(3 * surface.topology.num_vertices);
  for (int v = 0; v < surface.topology.num_vertices; ++v) {
    x.segment<3>(3 * v) = surface.vertices[v];
  }
  const auto at = [&](int v) -> const Vec<3>& { return surface.vertices[v]; };
  for (const auto& [e, t] : make_broad_phase(3, surface.topology)->find_intersection_candidates(x)) {
    const auto& [a, b] = surface.topology.edges[e];
    const auto& [p, q, r] = surface.topology.triangles[t];
    const int body_a = surface.topology.vertex_body[a];
    const int body_b = surface.topology.vertex_body[p];
    const Pair pair = {std::min(body_a, body_b), std::max(body_a, body_b)};
    if (!counts(body_a, body_b) || found.count(pair) > 0) continue;
    if (edge_intersects_triangle(at(a), at(b), at(p), at(q), at(r))) found.insert(pair);
  }
  std::vector<BoundingBox> boxes;
  for (const Mesh& mesh : meshes) boxes.push_back(bounding_box(mesh.vertices));
  const int count = static_cast<int>(meshes.size());
  for (int outer = 0; outer < count; ++outer) {
    for (int inner = 0; inner < count; ++inner) {
      const Mesh& mesh = meshes[inner];
      const Pair pair = {std::min(outer, inner), std::max(outer, inner)};
      if (mesh.vertices.empty() || !counts(outer, inner) || found.count(pair) > 0) continue;
      const std::size_t o = outer;
      if (holds(meshes[o], boxes[o], mesh.vertices.front())) found.insert(pair);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace clearance
