#include "clearance/simulation/curved_surface_watch.h"

#include "clearance/math/dimension.h"
#include "clearance/simulation/collision_surface.h"

namespace clearance {

namespace {

constexpr double spare = 1.5;

}  // namespace

double separation_of_curved(const SceneDesc& desc, const std::vector<BodyInstance>& bodies) {
  double largest = 0.0;
  for (const BodyInstance& body : bodies) {
    const int segments = segments_of_boundary(desc.bodies[static_cast<std::size_t>(body.desc)], body);
    if (segments > 0) largest = std::max(largest, flatness_bound(body.mesh_at_start(), segments));
  }
  return 2.0 * spare * largest;
}

CurvedSurfaceWatch::CurvedSurfaceWatch(const SceneDesc& desc, const SceneModel& scene)
    : min_separation_(desc.contact.min_separation) {
  if (!desc.contact.separate_curved) return;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    const int segments = segments_of_boundary(desc.bodies[static_cast<std::size_t>(body.desc)], body);
    if (segments > 0) bodies_.push_back({static_cast<int>(b), body.mesh, scene.blocks[b].of_nodes, segments});
  }
}

CurvedDistance CurvedSurfaceWatch::look(const VecX& x) const {
  CurvedDistance worst;
  for (const Body& body : bodies_) {
    Mesh moved = body.mesh;
    with_dimension(moved.dim, [&](auto dim) {
      for (std::size_t v = 0; v < body.blocks.size(); ++v) {
        moved.vertices[v].head<dim>() = x.segment<dim>(dim * body.blocks[v]);
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
