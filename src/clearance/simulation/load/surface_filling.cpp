#include "clearance/simulation/load/surface_filling.h"

#include <fmt/format.h>

#include "clearance/meshing/mesh_cache.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

VolumeMeshOptions volume_mesh_options(const VolumeMeshDesc& desc) {
  return {desc.edge_length, desc.order, desc.tolerance};
}

bool fill_surface(const SceneDesc& scene, int desc, Issue where, Mesh& mesh, Issues& issues, Issues& warnings) {
  const BodyDesc& body = scene.bodies[desc];
  const std::string place = fmt::format("bodies[{}].volume_mesh", desc);
  mesh.dim = scene.dimension;
  Result<VolumeMesh> made = cached_volume_mesh(mesh, volume_mesh_options(*body.volume_mesh));
  if (!made) {
    for (const Issue& issue : made.issues()) {
      where.place = place;
      where.value = issue.value;
      where.message = fmt::format("mesh of body '{}': {}", body.name, issue.message);
      issues.push_back(where);
    }
    return false;
  }
  const VolumeMeshReport& report = made->report;
  if (!report.repairs.empty()) {
    add_hint(warnings, place, fmt::format("the surface of body '{}' was repaired: {}", body.name, report.repairs));
  }
  if (!report.defects.empty()) {
    add_hint(
        warnings, place,
        fmt::format("the surface of body '{}' does not enclose a volume: {}; it was {}; the new mesh is at most {:.3g} "
                    "m from the given surface, and the given surface at most {:.3g} m from that of the mesh",
                    body.name, report.defects, report.was_wrapped ? "wrapped" : "closed", report.farthest_of_mesh,
                    report.farthest_of_given));
  }
  if (report.curving && report.curving->num_held > 0) {
    add_hint(warnings, place,
             fmt::format("{} of the {} nodes between the corners of the curved boundary of body '{}' are not on its "
                         "surface, because elements would be inverted; the surfaces are up to {:.3g} m from each "
                         "other; a shorter `edge_length` or a `tolerance` brings them closer",
                         report.curving->num_held, report.curving->num_nodes, body.name, report.deviation()));
  }
  mesh = std::move(made->mesh);
  return true;
}

}  // namespace clearance
