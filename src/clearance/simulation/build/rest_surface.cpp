#include "clearance/simulation/build/rest_surface.h"

#include <algorithm>
#include <utility>

#include "clearance/base/log.h"
#include "clearance/contact/contact_at_rest.h"
#include "clearance/simulation/build/solid.h"

namespace clearance {

namespace {

/// Returns the smallest Young's modulus of a deformable body.
double youngs_modulus(const BodyDesc& body) {
  double modulus = body.material.youngs_modulus;
  for (const MaterialPartDesc& part : body.material_parts) modulus = std::min(modulus, part.material.youngs_modulus);
  return modulus;
}

/// Returns 1 or -1 for each edge of the surface of the whole scene: -1 if the edge has to be reversed to have the
/// material on its left. The surface itself has lost the direction of edges.
std::vector<int> directions_of_edges(const std::vector<BodyInstance>& bodies, const SceneSurface& surface,
                                     const Edges& edges) {
  Edges sides =
      surface.frames.mesh.edges;  // edges of bodies without elements, and of surfaces that are not between nodes
  int first_vertex = 0;
  for (const BodyInstance& body : bodies) {
    for (const auto& [a, b] : boundary_edges(body)) sides.push_back({first_vertex + a, first_vertex + b});
    first_vertex += static_cast<int>(body.mesh.vertices.size());
  }
  std::sort(sides.begin(), sides.end());
  std::vector<int> directions;
  for (const auto& [a, b] : edges) {
    const std::array<int, 2> side = {surface.vertex_of_surface[a], surface.vertex_of_surface[b]};
    directions.push_back(std::binary_search(sides.begin(), sides.end(), side) ? 1 : -1);
  }
  return directions;
}

/// Finds the insides of the bodies. Obstacles may be containers, so that theirs are not known. For a stiff body or a
/// separate surface, the side follows from what its parts enclose.
Insides find_insides(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const SceneSurface& surface,
                     const Edges& edges) {
  Insides insides;
  for (const BodyInstance& body : bodies) {
    const bool is_known = !body.is_obstacle && Solid::of(desc, body);
    const bool is_either_way = is_stiff(body.kind) || body.proxy;
    insides.of_body.push_back(!is_known ? Inside::unknown : is_either_way ? Inside::enclosed : Inside::listed);
  }
  if (desc.dimension == 2) insides.direction_of_edge = directions_of_edges(bodies, surface, edges);
  return insides;
}

const char* origin_of_modulus(const SceneDesc& desc, const BodyInstance& body) {
  if (desc.contact.kappa > 0.0) return "given";
  if (body.is_obstacle) return "that of the other body";
  return is_stiff(body.kind) ? "by its inertia in a step" : "a tenth of its smallest Young's modulus";
}

}  // namespace

SurfaceAtRest surface_at_rest(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                              const SceneSurface& surface, const Model& model, const BarrierOptions& barrier) {
  const bool is_static = desc.time.integrator == TimeIntegrator::quasi_static;
  // Contacts in statics are made for some acceleration, also in scenes without gravity.
  const double least_gravity = is_static ? unit_system_of(desc).from_si(1.0, dimension::acceleration) : 0.0;
  SurfaceAtRest rest{.model = model,
                     .barrier = barrier,
                     .bodies = {},
                     .kappa = desc.contact.kappa,
                     .step = is_static ? 0.0 : desc.time.step,
                     .gravity = std::max(least_gravity, desc.gravity.norm()),
                     .find_insides = [&] { return find_insides(desc, bodies, surface, model.surface.edges); }};
  for (const BodyInstance& body : bodies) {
    const BodyDesc& body_desc = desc.bodies[body.desc];
    rest.bodies.push_back({body.is_obstacle, is_stiff(body.kind), youngs_modulus(body_desc), 0.0});
  }
  for (const StiffUnit& unit : unknowns.stiff_units) {
    if (!unit.is_part()) rest.bodies[unit.body].mass = unit.frame.mass;
  }
  return rest;
}

void log_contact_moduli(const SceneDesc& desc, const SceneModel& scene) {
  const Model& model = scene.model;
  if (!scene.options.has_contact || !model.contact_at_rest) return;
  const std::span<const double> moduli = model.contact_at_rest->moduli();
  const std::vector<double>& dhat = model.contact_scales.dhat;
  std::vector<char> is_told(scene.bodies.size(), 0);
  for (std::size_t v = 0; v < moduli.size(); ++v) {
    const std::size_t b = model.surface.vertex_body[v];
    if (std::exchange(is_told[b], 1) != 0) continue;
    const BodyInstance& body = scene.bodies[b];
    log_info("contact of '{}': kappa {:.4g} Pa, {}; dhat {:.4g} m", body.name, moduli[v], origin_of_modulus(desc, body),
             dhat.empty() ? scene.options.barrier.dhat : dhat[v]);
  }
}

}  // namespace clearance
