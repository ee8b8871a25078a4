// Contacts as data: pairs of closest features with weights, and the culled constraint set of [Fer23, sec. 2.4.2]: all
// primitive pairs closer than the activation distance, reduced to the closest features [Fer23, sec. 2.6.1], equal
// stencils counted instead of repeated [Fer23, app. A.7.1].
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
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

/// True if the stencils and activation distances are the same: then the barriers differ in their weights alone.
inline bool coincide(const Contact& a, const Contact& b) {
  return a.kind == b.kind && vertex_pair(a, 0) == vertex_pair(b, 0) && vertex_pair(a, 2) == vertex_pair(b, 2) &&
         a.plane == b.plane && a.dhat == b.dhat;
}

/// Two primitives of the surface by their vertices, dim + 1, of which the first `num_first` make the first primitive: a
/// point and a triangle (in the plane an edge), or two edges. Or a vertex and a half-space.
struct PrimitivePair {
  std::array<int, 4> vertices{};
  int num_first = 1;
  int plane = -1;  ///< index of the half-space
};

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

/// The stencil that the closest features of two primitives form: its kind and where its vertices are among p t0 t1 t2
/// or ea0 ea1 eb0 eb1. 4: none.
struct ClosestStencil {
  ContactKind kind;
  std::array<std::uint8_t, 4> local;
};

/// Stencils by PointEdgeType.
inline constexpr std::array<ClosestStencil, 3> point_edge_stencils = {{{ContactKind::point_point, {0, 1, 4, 4}},
                                                                       {ContactKind::point_point, {0, 2, 4, 4}},
                                                                       {ContactKind::point_edge, {0, 1, 2, 4}}}};
/// Stencils by PointTriangleType.
inline constexpr std::array<ClosestStencil, 7> point_triangle_stencils = {
    {{ContactKind::point_point, {0, 1, 4, 4}},
     {ContactKind::point_point, {0, 2, 4, 4}},
     {ContactKind::point_point, {0, 3, 4, 4}},
     {ContactKind::point_edge, {0, 1, 2, 4}},
     {ContactKind::point_edge, {0, 2, 3, 4}},
     {ContactKind::point_edge, {0, 3, 1, 4}},
     {ContactKind::point_triangle, {0, 1, 2, 3}}}};
/// Stencils by EdgeEdgeType.
inline constexpr std::array<ClosestStencil, 9> edge_edge_stencils = {{{ContactKind::point_point, {0, 2, 4, 4}},
                                                                      {ContactKind::point_point, {0, 3, 4, 4}},
                                                                      {ContactKind::point_point, {1, 2, 4, 4}},
                                                                      {ContactKind::point_point, {1, 3, 4, 4}},
                                                                      {ContactKind::point_edge, {2, 0, 1, 4}},
                                                                      {ContactKind::point_edge, {3, 0, 1, 4}},
                                                                      {ContactKind::point_edge, {0, 2, 3, 4}},
                                                                      {ContactKind::point_edge, {1, 2, 3, 4}},
                                                                      {ContactKind::edge_edge, {0, 1, 2, 3}}}};

inline const ClosestStencil& stencil_of(PointEdgeType type) {
  return point_edge_stencils[static_cast<std::size_t>(type)];
}
inline const ClosestStencil& stencil_of(PointTriangleType type) {
  return point_triangle_stencils[static_cast<std::size_t>(type)];
}
inline const ClosestStencil& stencil_of(EdgeEdgeType type) {
  return edge_edge_stencils[static_cast<std::size_t>(type)];
}

/// Contacts at one configuration. The energy of a contact may depend on more vertices than those of its features. Its
/// stencil has places: four for features, of which the first num_vertices() are used, and one per neighbour.
struct ContactSet {
  std::vector<Contact> contacts;     ///< sorted by `precedes`
  std::vector<int> neighbours;       ///< surface vertices, contact by contact
  std::vector<int> first_neighbour;  ///< per contact, and one past the last; empty: no contact has neighbours
  std::vector<char> notes;           ///< per contact: what its formulation notes for itself; may be empty
  double min_distance = infinity;    ///< [m] over all candidates, also those that are no contacts

  /// The contact with the same stencil; null if there is none.
  const Contact* find(const Contact& contact) const {
    const auto found = std::lower_bound(contacts.begin(), contacts.end(), contact, precedes);
    return found == contacts.end() || precedes(contact, *found) ? nullptr : &*found;
  }
  std::span<const int> neighbours_of(std::size_t k) const {
    if (first_neighbour.empty()) return {};
    return {neighbours.data() + first_neighbour[k], neighbours.data() + first_neighbour[k + 1]};
  }
  std::size_t num_places(std::size_t k) const { return 4 + neighbours_of(k).size(); }
  /// Number of the first place of a contact, where those of all contacts follow each other.
  std::size_t first_place(std::size_t k) const { return 4 * k + (first_neighbour.empty() ? 0 : first_neighbour[k]); }
  /// visit(place, vertex) for the places of contact k that are used.
  template <class Visit>
  void for_each_vertex(std::size_t k, const Visit& visit) const {
    const Contact& contact = contacts[k];
    const std::size_t num_features = contact.num_vertices();
    for (std::size_t i = 0; i < num_features; ++i) visit(i, contact.vertices[i]);
    std::size_t place = 4;
    for (const int vertex : neighbours_of(k)) visit(place++, vertex);
  }
};

/// Callback that receives the force of a contact on one of its vertices [N].
template <int dim>
using ForceVisitor = std::function<void(const Contact& contact, int vertex, const Vec<dim>& force)>;

/// sums[body] += value, half of it for each of the two bodies of a contact, all for the one whose partner is an
/// obstacle or a half-space.
void add_to_bodies(const Model& model, const Contact& contact, double value, VecX& sums);

/// `point_triangle of vertices 1, 5, 6, 7 of 'a' and 'b', 1e-9 m apart`
std::string contact_text(const Contact& contact, const SurfaceTopology& surface);

/// All pairs that may be nearer than their activation distance anywhere on the path from x_t0 to x_t1; see
/// BroadPhase::find_candidates.
Candidates find_contact_candidates(BroadPhase& broad_phase, const Model& model, const BarrierOptions& options,
                                   const VecX& x_t0, const VecX& x_t1, const std::vector<double>& deviation = {});

/// The contact that the closest features of a pair form where its vertices are at `x`, however far apart they are.
/// Edges are taken as not parallel.
template <int dim>
Contact contact_of_pair(const Model& model, const PrimitivePair& pair, const std::array<Vec<dim>, 4>& x,
                        const BarrierOptions& options);

/// The contacts of [Fer23, sec. 2.4.2] at surface positions `x` (flat). `candidates` must hold every pair closer than
/// the activation distance.
template <int dim>
ContactSet build_contact_set(const Model& model, const VecX& x, const Candidates& candidates,
                             const BarrierOptions& options);

}  // namespace clearance
