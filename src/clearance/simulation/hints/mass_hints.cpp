#include "clearance/simulation/hints/mass_hints.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "clearance/geometry/mesh_mass.h"
#include "clearance/simulation/hints/body_facts.h"

namespace clearance {

namespace {

/// Radius of gyration, in diagonals of the shape, above and below which inertia is doubtful.
constexpr double most_gyration = 3.0, least_gyration = 1e-3;

/// Returns true if the mesh has almost no extent in one direction, so that it cannot be closed.
bool is_flat(const Mesh& mesh) {
  const Vec<3> size = bounding_box(mesh.vertices).size();
  return size.head(mesh.dim).minCoeff() < 1e-3 * size.maxCoeff();
}

bool warn_of_openings(const BodyInstance& body, const MeshMass& mass, double weight, const std::string& place,
                      NamedHints& hints) {
  if (mass.num_openings == 0 || is_flat(body.mesh)) return false;
  const bool is_plane = body.mesh.dim == 2;
  add_hint(
      hints, "open_surface", place,
      fmt::format(
          "body '{}' has {} that is open: {} closed, the first at {}; its mass is computed as that of a {}, {:.3g} kg "
          "with the rest of the body; close it, or give a `thickness` or a `mass` if it is meant to be open",
          body.name, is_plane ? "an outline" : "a surface",
          mass.num_openings == 1 ? fmt::format("one {} is not", is_plane ? "vertex" : "edge")
                                 : fmt::format("{} {} are not", mass.num_openings, is_plane ? "vertices" : "edges"),
          place_text(mass.opening), is_plane ? "wire" : "sheet", weight));
  return true;
}

void warn_of_nested_parts(const BodyInstance& body, const MeshMass& mass, const std::string& place, NamedHints& hints) {
  if (mass.num_nested == 0) return;
  add_hint(hints, "nested_parts", place,
           fmt::format("body '{}' has {} inside another solid part, on one, or listed twice, the first at {}, so that "
                       "its mass counts twice there; reverse the orientation of such a part if it is a cavity, remove "
                       "it, or give the body a `mass`",
                       body.name, counted(mass.num_nested, "closed part"), place_text(mass.nested)));
}

/// Warns of a centre of mass or moments of inertia that a scene gives and that do not fit the body's shape.
void warn_of_doubtful_inertia(const BodyDesc& given, int entry, const BodyInstance& body, const AffineFrame& frame,
                              NamedHints& hints) {
  const BoundingBox box = bounding_box(body.mesh.vertices);
  const double size = box.diagonal();
  if (!(size > 0.0) || !(frame.mass > 0.0)) return;
  const Vec<3> nearest = frame.center.cwiseMax(box.min).cwiseMin(box.max);
  if (const double away = (frame.center - nearest).norm(); given.center_of_mass && away > size) {
    add_hint(
        hints, "doubtful_mass", fmt::format("bodies[{}].center_of_mass", entry),
        fmt::format("the centre of mass of body '{}' is at {}, {:.3g} m outside of its shape, which measures {:.3g} "
                    "m; it is given in the mesh before the transform",
                    body.name, place_text(frame.center), away, size));
  }
  const double gyration = std::sqrt(frame.second_moment.sum() / frame.mass);
  if (!given.inertia || (gyration < most_gyration * size && gyration > least_gyration * size)) return;
  add_hint(hints, "doubtful_mass", fmt::format("bodies[{}].inertia", entry),
           fmt::format("the moments of inertia of body '{}' are those of {:.3g} kg at a distance of {:.3g} m from its "
                       "centre, but its shape measures {:.3g} m; they are in kg m^2",
                       body.name, frame.mass, gyration, size));
}

}  // namespace

void warn_of_doubtful_masses(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  int last_entry = -1;
  for (const StiffUnit& unit : scene.stiff_units) {
    const BodyInstance& body = scene.bodies[unit.body];
    if (unit.is_part() || body.desc == std::exchange(last_entry, body.desc)) continue;
    warn_of_doubtful_inertia(desc.bodies[body.desc], body.desc, body, unit.frame, hints);
  }
  const std::vector<double> weights = body_masses(scene);
  for (std::size_t b = 0; b < scene.bodies.size();) {
    const int entry = scene.bodies[b].desc;
    const BodyDesc& given = desc.bodies[entry];
    // The surfaces of generated shapes are open only on purpose.
    const bool may_be_open = !given.generator && !given.mass && !given.thickness;
    const bool is_asked = is_stiff(given.kind) && (may_be_open || given.thickness);
    bool has_thin_parts = false, has_told = false;
    // Copies are equal, so that the first one is enough; components differ.
    for (bool is_first = true; b < scene.bodies.size() && scene.bodies[b].desc == entry; ++b, is_first = false) {
      if (!is_asked || has_told || (!is_first && !given.split_components)) continue;
      const MeshMass mass = mass_of_mesh(scene.bodies[b].mesh, 1.0);
      has_thin_parts = has_thin_parts || mass.has_thin_parts;
      const std::string place = shape_place(desc, entry);
      if (may_be_open) warn_of_nested_parts(scene.bodies[b], mass, place, hints);
      has_told = may_be_open && warn_of_openings(scene.bodies[b], mass, weights[b], place, hints);
    }
    if (!is_asked || !given.thickness || has_thin_parts) continue;
    add_hint(hints, "unused_thickness", fmt::format("bodies[{}].thickness", entry),
             fmt::format("the thickness has no effect, because body '{}' is solid and has no thin parts", given.name));
  }
}

}  // namespace clearance
