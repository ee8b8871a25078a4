#include "clearance/simulation/mass_hints.h"

#include <fmt/format.h>

#include "clearance/geometry/mesh_mass.h"
#include "clearance/simulation/body_facts.h"

namespace clearance {

namespace {

/// What has next to no extent in one direction cannot be closed.
bool is_flat(const Mesh& mesh) {
  const Vec<3> size = bounding_box(mesh.vertices).size();
  return size.head(mesh.dim).minCoeff() < 1e-3 * size.maxCoeff();
}

void warn_of_openings(const BodyInstance& body, const MeshMass& mass, double weight, const std::string& place,
                      Issues& hints) {
  if (mass.num_openings == 0 || is_flat(body.mesh)) return;
  const bool is_plane = body.mesh.dim == 2;
  add_hint(hints, place,
           fmt::format("body '{}' has {} that is open: {} closed, the first at {}; it weighs as a {}, {:.3g} kg with "
                       "what else the body has; close it, or say so by `thickness` or `mass`",
                       body.name, is_plane ? "an outline" : "a surface",
                       mass.num_openings == 1
                           ? fmt::format("one {} is not", is_plane ? "vertex" : "edge")
                           : fmt::format("{} {} are not", mass.num_openings, is_plane ? "vertices" : "edges"),
                       place_text(mass.opening), is_plane ? "wire" : "sheet", weight));
}

}  // namespace

void warn_of_doubtful_masses(const SceneDesc& desc, const SceneModel& scene, Issues& hints) {
  const std::vector<double> weights = body_masses(scene);
  int last = -1;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    const BodyDesc& given = desc.bodies[static_cast<std::size_t>(body.desc)];
    // (Copies are alike.)
    if (body.desc == last || !is_stiff(body.kind)) continue;
    last = body.desc;
    // Shapes made by the program are what they are said to be.
    const bool may_be_open = !given.generator && !given.mass && !given.thickness;
    if (!may_be_open && !given.thickness) continue;
    const MeshMass mass = mass_of_mesh(body.mesh, 1.0);
    if (may_be_open) warn_of_openings(body, mass, weights[b], shape_place(desc, body.desc), hints);
    if (given.thickness && !mass.has_thin_parts) {
      add_hint(hints, fmt::format("bodies[{}].thickness", body.desc),
               fmt::format("body '{}' is solid: it has no thin parts that a thickness would count for", body.name));
    }
  }
}

}  // namespace clearance
