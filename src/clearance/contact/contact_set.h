// The culled constraint set of sec. 2.4.2: all primitive pairs closer than the activation distance, reduced to the
// closest features (sec. 2.6.1), equal stencils counted instead of repeated (app. A.7.1).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/contact/barrier.h"
#include "clearance/geometry/distance.h"
#include "clearance/model/model.h"

namespace clearance {

enum class ContactKind : std::uint8_t {
  point_point,          ///< vertices a, b
  point_edge,           ///< p, e0, e1; the foot lies inside the edge
  point_triangle,       ///< p, t0, t1, t2; the foot lies inside the triangle
  edge_edge,            ///< ea0, ea1, eb0, eb1; both feet lie inside the edges
  mollified_edge_edge,  ///< nearly parallel edges: barrier times the mollifier of eq. 2.24; any closest features
  half_space            ///< vertex; `plane` is the index of the half-space
};

struct Contact {
  ContactKind kind = ContactKind::point_point;
  EdgeEdgeType edge_edge_type = EdgeEdgeType::ea_eb;  ///< of a mollified contact
  std::int16_t multiplicity = 1;                      ///< number of primitive pairs with this stencil
  std::array<int, 4> vertices = {-1, -1, -1, -1};     ///< surface vertices
  int plane = -1;
  double mollifier_scale = 0.0;  ///< [m^4] eps_x of eq. 2.24, of a mollified contact
  double distance_sq = 0.0;      ///< [m^2] where the set was built

  int num_vertices() const;
};

/// Order by stencil: kind, vertices, plane. Contacts that precede each other in neither direction are equal.
inline bool precedes(const Contact& a, const Contact& b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  // Pairs of vertices as one number each; those that a kind does not use are all -1.
  const auto pair = [](const Contact& c, std::size_t i) {
    return static_cast<std::uint64_t>(c.vertices[i]) << 32 | static_cast<std::uint32_t>(c.vertices[i + 1]);
  };
  if (pair(a, 0) != pair(b, 0)) return pair(a, 0) < pair(b, 0);
  if (pair(a, 2) != pair(b, 2)) return pair(a, 2) < pair(b, 2);
  return a.plane < b.plane;
}

struct ContactSet {
  std::vector<Contact> contacts;   ///< sorted by `precedes`
  double min_distance = infinity;  ///< [m] over all candidates, also those that are no contacts
};

/// `point_triangle of vertices 1, 5, 6, 7 of 'a' and 'b', 1e-9 m apart`
std::string describe(const Contact& contact, const SurfaceTopology& surface);

/// The contacts at surface positions `x` (flat). `candidates` must hold every pair closer than the activation distance.
template <int dim>
ContactSet build_contact_set(const Model& model, const VecX& x, const Candidates& candidates,
                             const BarrierOptions& options);

}  // namespace clearance
