#include "clearance/simulation/hints/adapting_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "clearance/scene/body_remesh.h"

namespace clearance {

namespace {

/// Returns a set of bits for each vertex: one for each motion that prescribes the vertex completely in every step, and
/// one for stiff parts.
std::vector<std::uint64_t> find_constraints(const SceneDesc& desc, const SceneModel& scene, int body) {
  std::vector<std::uint64_t> holds(scene.bodies[body].mesh.vertices.size(), 0);
  std::uint64_t bit = 1;
  for (const StiffUnit& unit : scene.stiff_units) {
    if (unit.body != body) continue;
    for (const int v : unit.tied_nodes) holds[v] |= bit;
  }
  for (const PreparedMotion& motion : scene.motions) {
    if (motion.body != body) continue;
    bit <<= 1;
    const auto& components = motion.desc.components;
    const bool is_whole = components[0] && components[1] && (components[2] || scene.dim == 2);
    if (!is_whole || motion.desc.release || motion.desc.start > 0.0 || motion.desc.end < desc.time.duration) continue;
    for (const int v : motion.nodes) holds[v] |= bit;
  }
  return holds;
}

/// Returns true if an edge is not held. The midpoint of an edge is held only by what holds both ends.
bool has_free_edge(const Mesh& mesh, const std::vector<std::uint64_t>& holds) {
  const auto is_free = [&](const auto& cell) {
    for (const int a : cell) {
      for (const int b : cell) {
        if ((holds[a] & holds[b]) == 0) return true;
      }
    }
    return false;
  };
  return std::any_of(mesh.tets.begin(), mesh.tets.end(), is_free) ||
         std::any_of(mesh.triangles.begin(), mesh.triangles.end(), is_free);
}

}  // namespace

void warn_of_bodies_that_cannot_adapt(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    const BodyDesc& body_desc = desc.bodies[body.desc];
    const bool is_copy = b > 0 && scene.bodies[b - 1].desc == body.desc;
    if (is_copy || find_remesh(desc, body_desc) == nullptr) continue;
    if (has_free_edge(body.mesh, find_constraints(desc, scene, static_cast<int>(b)))) continue;
    add_hint(hints, "cannot_adapt", body_desc.remesh ? fmt::format("bodies[{}].remesh", body.desc) : "remesh",
             fmt::format("`remesh` has no effect on body '{}', because stiff parts or motions hold all of it and "
                         "elements adapt only where a body deforms",
                         body.name));
  }
}

}  // namespace clearance
