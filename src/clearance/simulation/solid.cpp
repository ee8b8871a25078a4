#include "clearance/simulation/solid.h"

#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/weld.h"
#include "clearance/geometry/winding_number.h"

namespace clearance {

namespace {

bool is_closed(const Triangles& triangles) {
  return find_surface_defects(triangles).open_edges.empty();
}
bool is_closed(const Edges& edges) {
  return is_closed_outline(edges);
}

/// Also if the parts of a surface have vertices of their own where they meet.
template <class Facets>
bool is_closed_welded(const Vertices& vertices, Facets facets) {
  const std::vector<int> first = weld(vertices);
  for (auto& facet : facets) {
    for (int& v : facet) v = first[static_cast<std::size_t>(v)];
  }
  return is_closed(facets);
}

}  // namespace

std::optional<Solid> Solid::of(const SceneDesc& desc, const SceneModel& scene, int body) {
  const BodyInstance& instance = scene.bodies[static_cast<std::size_t>(body)];
  if (scene.dim == 2 && instance.is_obstacle) {
    const auto& generator = desc.bodies[static_cast<std::size_t>(instance.desc)].generator;
    if (!generator || generator->is_surface) return std::nullopt;
  }
  // (The surface of a stiff body may point either way.)
  return make(scene, body, is_stiff(instance.kind));
}

std::optional<Solid> Solid::inside_of(const SceneDesc& desc, const SceneModel& scene, int body) {
  return scene.bodies[static_cast<std::size_t>(body)].is_obstacle ? make(scene, body, true) : of(desc, scene, body);
}

std::optional<Solid> Solid::make(const SceneModel& scene, int body, bool may_point_either_way) {
  const BodyInstance& instance = scene.bodies[static_cast<std::size_t>(body)];
  const bool is_deformable = instance.kind == BodyKind::deformable;
  // (The surface of the whole scene has lost the direction of the edges of a plane.)
  const Mesh& mesh = instance.mesh;
  Solid solid;
  solid.vertices_ = &mesh.vertices;
  solid.may_point_either_way_ = may_point_either_way;
  if (scene.dim == 2) {
    solid.facets_ = is_deformable ? boundary_edges(mesh.triangles) : mesh.edges;
  } else {
    solid.facets_ = is_deformable ? boundary_triangles(mesh.tets) : mesh.triangles;
  }
  const bool is_filled = std::visit(
      [&](const auto& facets) { return !facets.empty() && (is_deformable || is_closed_welded(mesh.vertices, facets)); },
      solid.facets_);
  if (!is_filled) return std::nullopt;
  return solid;
}

bool Solid::holds(const Vec<3>& point) const {
  const int winding =
      std::visit([&](const auto& facets) { return winding_number(point, *vertices_, facets).value_or(0); }, facets_);
  return may_point_either_way_ ? winding % 2 != 0 : winding > 0;
}

}  // namespace clearance
