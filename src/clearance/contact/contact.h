// One contact: a pair of closest features with a weight.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "clearance/geometry/distance.h"
#include "clearance/geometry/surface.h"

namespace clearance {

enum class ContactKind : std::uint8_t {
  point_point,          ///< vertices a, b
  point_edge,           ///< p, e0, e1; the foot lies inside the edge
  point_triangle,       ///< p, t0, t1, t2; the foot lies inside the triangle
  edge_edge,            ///< ea0, ea1, eb0, eb1; both feet lie inside the edges
  mollified_edge_edge,  ///< nearly parallel edges: barrier times the mollifier of [Fer23, eq. 2.24]; any closest
                        ///< features
  half_space            ///< vertex; `plane` is the index of the half-space
};

struct Contact {
  ContactKind kind = ContactKind::point_point;
  EdgeEdgeType edge_edge_type = EdgeEdgeType::ea_eb;  ///< of a mollified contact
  std::array<int, 4> vertices = {-1, -1, -1, -1};     ///< surface vertices
  int plane = -1;
  double mollifier_scale = 0.0;  ///< [m^4] eps_x of [Fer23, eq. 2.24], of a mollified contact
  /// Factor of the energy, of any sign: the sum of the stiffnesses [J/m^4] of the primitive pairs with this stencil
  /// where the model has contact scales, else their number.
  double weight = 1.0;
  double dhat = 0.0;         ///< [m] activation distance
  double thickness = 0.0;    ///< [m] sum of the radii of its features; the barrier counts the distance from there
  double distance_sq = 0.0;  ///< [m^2] where the set was built

  int num_vertices() const;
};

/// Vertices i and i + 1 as one number; those that a kind does not use are all -1.
inline std::uint64_t vertex_pair(const Contact& contact, std::size_t i) {
  return static_cast<std::uint64_t>(contact.vertices[i]) << 32 | static_cast<std::uint32_t>(contact.vertices[i + 1]);
}

/// Order by stencil: kind, vertices, plane.
inline bool precedes(const Contact& a, const Contact& b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  if (vertex_pair(a, 0) != vertex_pair(b, 0)) return vertex_pair(a, 0) < vertex_pair(b, 0);
  if (vertex_pair(a, 2) != vertex_pair(b, 2)) return vertex_pair(a, 2) < vertex_pair(b, 2);
  return a.plane < b.plane;
}

/// True if the stencils, activation distances and thicknesses are the same: then the barriers differ in their weights
/// alone.
inline bool coincide(const Contact& a, const Contact& b) {
  return a.kind == b.kind && vertex_pair(a, 0) == vertex_pair(b, 0) && vertex_pair(a, 2) == vertex_pair(b, 2) &&
         a.plane == b.plane && a.dhat == b.dhat && a.thickness == b.thickness;
}

/// Returns how many vertices of a contact, the first ones, belong to its first feature.
inline int num_first(const Contact& contact) {
  return contact.kind == ContactKind::edge_edge || contact.kind == ContactKind::mollified_edge_edge ? 2 : 1;
}

/// Returns the two parties of a contact: two bodies, or a body and -1 - half-space.
inline std::array<int, 2> bodies_of(const SurfaceTopology& surface, const Contact& contact) {
  const auto body = [&](int i) { return surface.vertex_body[contact.vertices[i]]; };
  // The last vertex always belongs to the second primitive.
  return {body(0), contact.kind == ContactKind::half_space ? -1 - contact.plane : body(contact.num_vertices() - 1)};
}

}  // namespace clearance
