#include "clearance/simulation/remesh_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "clearance/geometry/mass_properties.h"
#include "clearance/scene/body_remesh.h"
#include "clearance/simulation/hint.h"

namespace clearance {

namespace {

/// Smallest edge as a share of the largest coordinate; rounding changes the strain of edges this long by 1e-6.
constexpr double least_edge = 1e-10;

/// Returns a set of bits for each vertex: one for each motion that prescribes the vertex completely in every step, and
/// one for stiff parts.
std::vector<std::uint64_t> what_holds(const SceneDesc& desc, const SceneModel& scene, int body) {
  std::vector<std::uint64_t> holds(scene.bodies[static_cast<std::size_t>(body)].mesh.vertices.size(), 0);
  std::uint64_t bit = 1;
  for (const StiffUnit& unit : scene.stiff_units) {
    if (unit.body != body) continue;
    for (const int v : unit.tied_nodes) holds[static_cast<std::size_t>(v)] |= bit;
  }
  for (const PreparedMotion& motion : scene.motions) {
    if (motion.body != body) continue;
    bit <<= 1;
    const auto& components = motion.desc.components;
    const bool is_whole = components[0] && components[1] && (components[2] || scene.dim == 2);
    if (!is_whole || motion.desc.release || motion.desc.start > 0.0 || motion.desc.end < desc.time.duration) continue;
    for (const int v : motion.nodes) holds[static_cast<std::size_t>(v)] |= bit;
  }
  return holds;
}

/// Returns true if an edge is not held. The midpoint of an edge is held only by what holds both ends.
bool has_free_edge(const Mesh& mesh, const std::vector<std::uint64_t>& holds) {
  const auto is_free = [&](const auto& cell) {
    for (const int a : cell) {
      for (const int b : cell) {
        if ((holds[static_cast<std::size_t>(a)] & holds[static_cast<std::size_t>(b)]) == 0) return true;
      }
    }
    return false;
  };
  return std::any_of(mesh.tets.begin(), mesh.tets.end(), is_free) ||
         std::any_of(mesh.triangles.begin(), mesh.triangles.end(), is_free);
}

}  // namespace

void check_remesh_of_mesh(const SceneDesc& scene, const BodyDesc& body, Issue where, const Mesh& mesh, Issues& issues,
                          Issues& warnings) {
  const RemeshDesc* remesh = find_remesh(scene, body);
  if (remesh == nullptr) return;
  const std::size_t num_cells = mesh.num_solid_cells();
  int highest = 1;
  for (std::size_t cell = 0; cell < num_cells; ++cell) highest = std::max(highest, mesh.order_of_cell(cell));
  const std::string of_body = where.place;
  if (highest > 1) {
    where.place = of_body + ".order";
    where.message = fmt::format(
        "the elements of the mesh of body '{}' are of order {}, and only linear ones adapt (`remesh`): set `order` to "
        "1, or give the body \"remesh\": {{\"enabled\": false}}",
        body.name, highest);
    issues.push_back(where);
  }
  // Place of the values in the scene.
  const std::string at = body.remesh ? of_body + ".remesh" : "remesh";
  where.severity = Severity::warning;
  if (remesh->split && remesh->largest_count > 0 && static_cast<std::size_t>(remesh->largest_count) <= num_cells) {
    where.place = at + ".largest_count";
    where.value = fmt::format("{}", remesh->largest_count);
    where.message = fmt::format("body '{}' has {} elements at the start: none is split before others are collapsed",
                                body.name, num_cells);
    warnings.push_back(where);
  }
  const double size = bounding_box(mesh.vertices).diagonal();
  if (remesh->split && remesh->smallest_edge && 2.0 * *remesh->smallest_edge > size) {
    where.place = at + ".smallest_edge";
    where.value = fmt::format("{:g}", *remesh->smallest_edge);
    where.message = fmt::format("body '{}' is {:.3g} m large: none of its edges is ever split", body.name, size);
    warnings.push_back(where);
  }
  double reach = 0.0;  // [m] largest coordinate
  for (const Vec<3>& x : mesh.vertices) reach = std::max(reach, x.cwiseAbs().maxCoeff());
  if (remesh->split && remesh->smallest_edge && *remesh->smallest_edge < least_edge * reach) {
    where.place = at + ".smallest_edge";
    where.value = fmt::format("{:g}", *remesh->smallest_edge);
    where.message = fmt::format(
        "coordinates of body '{}' reach {:.3g} m: rounding changes the strains of elements this small; expected at "
        "least {:.1g} m",
        body.name, reach, least_edge * reach);
    warnings.push_back(where);
  }
}

void warn_of_bodies_that_cannot_adapt(const SceneDesc& desc, const SceneModel& scene, Issues& hints) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    const BodyDesc& body_desc = desc.bodies[static_cast<std::size_t>(body.desc)];
    const bool is_copy = b > 0 && scene.bodies[b - 1].desc == body.desc;
    if (is_copy || find_remesh(desc, body_desc) == nullptr) continue;
    if (has_free_edge(body.mesh, what_holds(desc, scene, static_cast<int>(b)))) continue;
    add_hint(hints, body_desc.remesh ? fmt::format("bodies[{}].remesh", body.desc) : "remesh",
             fmt::format("has no effect on body '{}': stiff parts or motions hold all of it, and elements adapt only "
                         "where something deforms",
                         body.name));
  }
}

}  // namespace clearance
