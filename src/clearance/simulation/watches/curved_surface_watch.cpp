#include "clearance/simulation/watches/curved_surface_watch.h"

#include "clearance/geometry/curved_boundary.h"
#include "clearance/math/dimension.h"
#include "clearance/simulation/build/collision_surface.h"

namespace clearance {

namespace {

constexpr double spare = 1.5;

}  // namespace

double separation_of_curved(const SceneDesc& desc, const std::vector<BodyInstance>& bodies) {
  double largest = 0.0;
  for (const BodyInstance& body : bodies) {
    const int segments = segments_of_boundary(desc.bodies[body.desc], body);
    if (segments > 0) largest = std::max(largest, flatness_bound(body.mesh_at_start(), segments));
  }
  return 2.0 * spare * largest;
}

CurvedSurfaceWatch::CurvedSurfaceWatch(const SceneDesc& desc, const SceneModel& scene)
    : min_separation_(desc.contact.min_separation), vertex_map_(scene.frames.vertex_map) {
  if (!desc.contact.separate_curved) return;
  std::size_t first_vertex = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    const int segments = segments_of_boundary(desc.bodies[body.desc], body);
    if (segments > 0) bodies_.push_back({static_cast<int>(b), body.mesh, first_vertex, segments});
    first_vertex += body.mesh.vertices.size();
  }
}

CurvedDistance CurvedSurfaceWatch::measure(const VecX& x) const {
  CurvedDistance worst;
  if (bodies_.empty()) return worst;
  const VecX places = vertex_map_.apply(x);
  for (const Body& body : bodies_) {
    Mesh moved = body.mesh;
    with_dimension(moved.dim, [&](auto dim) {
      for (std::size_t v = 0; v < moved.vertices.size(); ++v) {
        moved.vertices[v].head<dim>() = block<dim>(places, static_cast<int>(body.first_vertex + v));
      }
    });
    const double distance = flatness_bound(moved, body.segments);
    if (worst.body < 0 || distance > worst.distance) {
      worst = {distance, min_separation_ > 0.0 ? 2.0 * distance / min_separation_ : 0.0, body.body};
    }
  }
  return worst;
}

}  // namespace clearance
