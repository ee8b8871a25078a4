#include "clearance/simulation/start/overlap_depth.h"

#include <algorithm>
#include <cmath>

#include "clearance/geometry/distance.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/winding_number.h"
#include "clearance/simulation/build/solid.h"

namespace clearance {

namespace {

/// Largest number of points that are tested; each one costs a pass over the other surface.
constexpr std::size_t max_points = 64;

double distance_sq(const Vec<3>& p, const Vertices& vertices, const std::array<int, 3>& t) {
  const auto at = [&](int i) -> const Vec<3>& { return vertices[t[i]]; };
  return point_triangle_distance_sq(p, at(0), at(1), at(2));
}
double distance_sq(const Vec<3>& p, const Vertices& vertices, const std::array<int, 2>& e) {
  return point_edge_distance_sq<3>(p, vertices[e[0]], vertices[e[1]]);
}

/// Deepens `overlap` by vertices of one body, shifted, that are inside another one with the boundary `facets`.
template <class Facets>
void deepen(const BodySurfaces& surfaces, int inner, const Vec<3>& shift, int outer, const Vertices& vertices,
            const Facets& facets, Overlap& overlap) {
  std::vector<Vec<3>> near_points;
  const BoundingBox& box = surfaces.box(outer);
  for (int i = 0; i < surfaces.num_vertices(inner); ++i) {
    const Vec<3> x = surfaces.position(surfaces.first_vertex(inner) + i) + shift;
    if ((x.array() >= box.min.array() && x.array() <= box.max.array()).all()) near_points.push_back(x);
  }
  const std::size_t stride = near_points.size() / max_points + 1;
  for (std::size_t i = 0; i < near_points.size(); i += stride) {
    double nearest_sq = infinity;
    for (const auto& facet : facets) nearest_sq = std::min(nearest_sq, distance_sq(near_points[i], vertices, facet));
    // Points are tested for being inside only if they would deepen the overlap. The surface of a stiff body may point
    // either way, so that an odd winding number counts as inside.
    if (!(nearest_sq > overlap.depth * overlap.depth)) continue;
    if (winding_number(near_points[i], vertices, facets).value_or(0) % 2 != 0)
      overlap = {std::sqrt(nearest_sq), near_points[i]};
  }
}

void deepen(const SceneModel& scene, const BodySurfaces& surfaces, int inner, const Vec<3>& shift, int outer,
            Overlap& overlap) {
  const BodyInstance& body = scene.bodies[outer];
  const bool is_deformable = body.kind == BodyKind::deformable;
  if (scene.dim == 2) {
    const Edges edges = boundary_edges(body);
    if (is_closed_outline(edges)) deepen(surfaces, inner, shift, outer, body.mesh.vertices, edges, overlap);
    return;
  }
  const Triangles triangles = boundary_triangles(body);
  if (!triangles.empty() && !is_thin(body.kind) && (is_deformable || is_closed_manifold(triangles))) {
    deepen(surfaces, inner, shift, outer, body.mesh.vertices, triangles, overlap);
  }
}

}  // namespace

Overlap find_overlap(const SceneModel& scene, const BodySurfaces& surfaces, int body_a, int body_b,
                     const Vec<3>& shift) {
  Overlap overlap;
  deepen(scene, surfaces, body_a, shift, body_b, overlap);
  const double of_a = overlap.depth;
  deepen(scene, surfaces, body_b, -shift, body_a, overlap);
  // The second search shifted body_b back instead, so that its places lack the shift.
  if (overlap.depth > of_a) overlap.place += shift;
  return overlap;
}

}  // namespace clearance
