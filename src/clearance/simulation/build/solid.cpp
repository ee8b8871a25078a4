#include "clearance/simulation/build/solid.h"

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/shells.h"
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

/// Returns true if a surface is closed, even if its parts have separate vertices where they meet.
template <class Facets>
bool is_closed_welded(const Vertices& vertices, Facets facets) {
  const std::vector<int> first = weld(vertices);
  for (auto& facet : facets) {
    for (int& v : facet) v = first[v];
  }
  return is_closed(facets);
}

/// Turns facets that point into the material, and drops those that enclose none.
template <std::size_t n>
void turn_outwards(const Vertices& vertices, Facets<n>& facets) {
  const std::vector<signed char> signs = outward_signs(vertices, facets);
  Facets<n> turned;
  for (std::size_t f = 0; f < facets.size(); ++f) {
    if (signs[f] == 0) continue;
    turned.push_back(facets[f]);
    if (signs[f] < 0) std::swap(turned.back()[0], turned.back()[1]);
  }
  facets = std::move(turned);
}

}  // namespace

Triangles boundary_triangles(const BodyInstance& body) {
  return body.kind == BodyKind::deformable ? boundary_triangles(body.mesh) : body.mesh.triangles;
}
Edges boundary_edges(const BodyInstance& body) {
  return body.kind == BodyKind::deformable ? boundary_edges(body.mesh) : body.mesh.edges;
}

std::optional<Solid> Solid::of(const SceneDesc& desc, const BodyInstance& body) {
  if (desc.dimension == 2 && body.is_obstacle) {
    const auto& generator = desc.bodies[body.desc].generator;
    if (!generator || generator->is_surface) return std::nullopt;
  }
  // The surface of a stiff body may point either way.
  return make(body, is_stiff(body.kind));
}

std::optional<Solid> Solid::inside_of(const SceneDesc& desc, const BodyInstance& body) {
  return body.is_obstacle ? make(body, true) : of(desc, body);
}

std::optional<Solid> Solid::make(const BodyInstance& body, bool may_point_either_way) {
  // A closed sheet is a balloon.
  if (is_thin(body.kind)) return std::nullopt;
  const bool is_deformable = body.kind == BodyKind::deformable;
  // The mesh of the body is used, because edges of the surface of the whole scene have lost their direction in 2D.
  const Mesh& mesh = body.mesh;
  Solid solid;
  solid.vertices_ = &mesh.vertices;
  if (mesh.dim == 2) {
    solid.facets_ = boundary_edges(body);
  } else {
    solid.facets_ = boundary_triangles(body);
  }
  const bool is_filled = std::visit(
      [&](const auto& facets) { return !facets.empty() && (is_deformable || is_closed_welded(mesh.vertices, facets)); },
      solid.facets_);
  if (!is_filled) return std::nullopt;
  if (may_point_either_way) std::visit([&](auto& facets) { turn_outwards(mesh.vertices, facets); }, solid.facets_);
  return solid;
}

bool Solid::holds(const Vec<3>& point) const {
  return std::visit([&](const auto& facets) { return winding_number(point, *vertices_, facets).value_or(0); },
                    facets_) > 0;
}

}  // namespace clearance
